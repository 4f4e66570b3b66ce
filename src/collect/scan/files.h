#pragma once
// Reading, writing and opening whole: what a scan keeps beside its output.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace headrace::collect {

/// kNoSpace or kIo, by errno, with a sentence that names the file.
base::Status failed(const std::string& what, int error);

/// `label` stands for the file in messages.
base::Status write_at(int file, const void* bytes, size_t length, uint64_t offset, const std::string& label);
base::Status read_at(int file, void* bytes, size_t length, uint64_t offset, const std::string& label);
/// A file without a name in this directory, which is gone when it is closed.
base::Result<int> open_unnamed(const std::string& directory);
/// The directory that a file lies in.
std::string directory_of(const std::string& file);

}  // namespace headrace::collect
