// Whole small files, as those of /proc and configuration files.
#pragma once
#include <cstddef>
#include <string>

namespace headrace::capture {

/// At most `limit` bytes of a file relative to `directory`; empty when it cannot be read. Symbolic links are followed
/// unless the name is relative to a real directory descriptor.
std::string read_small_file_at(int directory, const char* name, size_t limit);
std::string read_small_file(const char* path, size_t limit);

}  // namespace headrace::capture
