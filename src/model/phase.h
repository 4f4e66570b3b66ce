// Phases of a process: what it did between their begin and their end, in all instances together or in one of them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/process.h"

namespace headrace::model {

/// Operations of a layer and direction whose sizes lie in [least, most] bytes.
struct SizeCount {
  std::string_view layer, direction;
  uint64_t least = 0, most = 0, count = 0;
};

/// Bytes that went one way during [start_at_ns, start_at_ns + width_ns).
struct FlowBin {
  std::string_view direction;  // read, write or message
  uint64_t start_at_ns = 0, width_ns = 0, bytes = 0;
};

struct Phase {
  std::string path;        // such as "step/dump"; empty: the whole run, which has sizes alone
  uint64_t instance = 0;   // 1, 2, …; 0: all together
  uint64_t instances = 0;  // that this row is about
  std::string_view ended;  // of one instance: end, outer, thread or process; of all: empty
  uint64_t cut = 0;        // instances that ended by something else than their own end
  uint64_t start_at_ns = 0, end_at_ns = 0;
  uint64_t time_ns = 0, least_ns = 0, most_ns = 0;
  double variance_ns2 = 0;
  uint64_t slowest = 0;  // number of the slowest instance
  uint64_t bytes_read = 0, bytes_written = 0, message_bytes = 0;
  uint64_t read_ns = 0, write_ns = 0, meta_ns = 0, message_ns = 0;
  std::vector<Profile> profiles;
  std::vector<SizeCount> sizes;
  std::vector<FlowBin> series;
};

}  // namespace headrace::model
