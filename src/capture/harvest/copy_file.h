// Copies the beginning of a file, and moves whole ones.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"

namespace headrace::capture {

/// Makes `to`, which must not exist, from the first `bytes` of `from`. On failure nothing of it stays.
base::Status copy_file(const std::string& from, const std::string& to, uint64_t bytes);

/// Gives a file another name, which is replaced, also on another file system. On failure it stays where it is.
base::Status move_file(const std::string& from, const std::string& to);

}  // namespace headrace::capture
