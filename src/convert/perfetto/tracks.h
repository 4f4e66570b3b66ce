#pragma once
// The tracks of a trace: one a process, one a thread, one a counter of a thread. Internal to perfetto.

#include <string>
#include <unordered_map>
#include <vector>

#include "convert/perfetto/proto.h"
#include "events/trace_reader.h"

namespace headrace::convert::perfetto {

class Tracks {
 public:
  explicit Tracks(const events::TraceReader& trace);

  uint64_t process(uint32_t location) const;
  uint64_t thread(uint32_t location) const { return uint64_t{location} << 1 | 1; }
  /// Of the n-th counter, from 0 on; each has its own.
  uint64_t counter(uint32_t location, uint32_t counter) const {
    return uint64_t{1} << 62 | uint64_t{location} << 24 | counter;
  }

  /// TrackDescriptors.
  Message describe_process(uint32_t location) const;
  Message describe_thread(uint32_t location) const;
  Message describe_counter(uint32_t location, uint32_t counter, const std::string& name) const;

 private:
  struct Process {
    uint64_t number = 0;  // in the order in which they come
    int32_t shown_pid = 0;
  };
  const Process& of(uint32_t location) const { return processes_.at(trace_.locations()[location].what.process); }
  int32_t tid(uint32_t location) const;

  const events::TraceReader& trace_;
  std::unordered_map<uint64_t, Process> processes_;
};

}  // namespace headrace::convert::perfetto
