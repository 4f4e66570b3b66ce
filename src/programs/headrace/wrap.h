// `headrace wrap COMPILER …`, or a link to this command called headrace-COMPILER: links programs with the capture
// library.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Becomes the compiler; returns only when that fails, with the exit status.
int wrap(const std::vector<std::string>& arguments);

/// The compiler's command line: with what links the capture library where `arguments` make a program, else unchanged.
std::vector<std::string> wrapped(const std::vector<std::string>& arguments, const std::string& flags,
                                 const std::string& static_flags);

}  // namespace headrace::programs
