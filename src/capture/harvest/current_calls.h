// The calls that threads of a process were in when it ended, from its spool.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/harvest/clock_map.h"

namespace headrace::capture {

/// A call that did not come back before its process ended.
struct UnfinishedCall {
  uint32_t thread = 0, depth = 0;  // thread: its number in traces; depth: of calls around it
  std::string function, layer;     // empty layer: not known
  std::string path;                // that it is on; empty: not known
  uint64_t start_ticks = 0, start_at_ns = 0;
  uint16_t number = 0;  // of the function, as in Profile
  uint8_t moves = 0;    // as in Profile
  bool told = false;    // the trace has its begin
};

/// Outermost first, by thread. Of bytes that are no whole spool those that lie inside of it; nothing is trusted.
std::vector<UnfinishedCall> read_current_calls(std::span<const std::byte> spool, const ClockMap& clock);

}  // namespace headrace::capture
