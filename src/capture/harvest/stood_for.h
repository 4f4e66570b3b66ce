// What a log says of ranks that representatives stand for (capture/reduce).
#pragma once
#include <cstdint>
#include <string>

namespace headrace::capture {

struct StoodFor {
  uint64_t ranks = 0, records = 0, bytes = 0;
};

/// Of all programs in the log; zeros where there are none, or the log cannot be read.
StoodFor stood_for(const std::string& path);

}  // namespace headrace::capture
