// Names of C++ as the source has them.
#pragma once
#include <string>

namespace headrace::capture {

/// What the compiler made of a name of C++ (Itanium C++ ABI, "Mangling") as the source has it; any other as it is, and
/// so one that would become longer than a mebibyte: a name of a hundred bytes can say twice what it said twice before.
std::string readable_name(const std::string& name);

/// At most so long it becomes, in bytes. For tests.
double longest_readable(const std::string& name);

}  // namespace headrace::capture
