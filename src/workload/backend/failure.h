// Errors of system calls as sentences.
#pragma once
#include <errno.h>
#include <string.h>

#include <string>

#include "base/result.h"

namespace headrace::workload {

/// `what` with the error in errno: "/scratch/x/data: write of 4096 bytes at 8192: No space left on device".
inline base::Status failure(const std::string& what, int error = errno) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return {full ? base::Code::kNoSpace : base::Code::kIo, what + ": " + strerror(error)};
}

inline std::string transfer_text(const std::string& path, const char* what, uint64_t bytes, uint64_t offset) {
  return path + ": " + what + " of " + std::to_string(bytes) + " bytes at " + std::to_string(offset);
}

}  // namespace headrace::workload
