// Names of functions by their places in programs and libraries, from the tables of symbols in those files.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::capture {

/// The function of a file at an address of the file's own, as C++ has it where it is one; "" where the
/// file cannot be read, has another build id (hexadecimal; "": none), or has no name for it. Nothing in the file is
/// trusted. One thread at a time; the tables of the files that were asked for stay in memory.
std::string function_at(const std::string& path, const std::string& build_id, uint64_t address);

}  // namespace headrace::capture
