// Whether the figures of ranks that lost each other while they wrote are in the log.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::capture {

/// Whether the log at `path` has what reduction `id` wrote. Waits for ranks that write just now, up to some minutes;
/// after that they will not finish. False where there is no log, or it cannot be read.
bool has_reduction(const std::string& path, uint64_t id);

}  // namespace headrace::capture
