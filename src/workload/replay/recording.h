// A job as it was recorded: what each of its processes called, in order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "workload/replay/actions.h"

namespace headrace::workload::replay {

inline constexpr uint64_t kUnknown = ~uint64_t{0};
inline constexpr uint32_t kNone = ~uint32_t{0};

struct Function {
  std::string layer, name;
  Layer of = Layer::kOther;
  Done done;
  bool data = false;  // it reads or writes
};

struct Call {
  uint64_t begin_ns = 0, duration_ns = 0;
  uint64_t asked = 0, moved = 0;
  uint64_t offset = kUnknown;  // of one with two names the number of the other path
  uint64_t waited_ns = 0;      // what its process had spent in MPI before it, all in all
  uint32_t function = 0;       // of Recording::functions
  uint32_t path = 0;           // of Recording::paths
  uint32_t inside = kNone;     // the call of the same process that made it
  uint32_t error = 0;
  uint32_t thread = 0;
  bool of_mpi = false;  // made by a function of MPI that is none of MPI-IO
  bool ended = false;   // its end was recorded
};

/// Bytes of one call: no replay has memory for more.
inline constexpr uint64_t kLargest = uint64_t{1} << 40;

/// What to ask for where a call is done again. Calls that copy in the kernel may ask for all there is.
inline uint64_t asked_of(const Call& call) {
  constexpr uint64_t kToSeeTheEnd = 1 << 20;
  if (call.asked <= kLargest) return std::max(call.asked, call.moved);
  return call.moved > 0 ? call.moved : kToSeeTheEnd;
}

struct Process {
  uint64_t id = 0;
  int64_t rank = -1;
  uint32_t pid = 0;
  std::string command;
  std::vector<Call> calls = {};  // of all threads by their begins
};

/// Adds calls of another thread of the process, or others that no call has made, in order of their begins.
void merge_calls(std::vector<Call>& calls, std::vector<Call> more);

/// What the job log knows of a file, of one process or (process 0) of several.
struct FileFacts {
  bool created = false, truncated = false, append = false, synchronous = false;
  bool size_known = false, is_file = true, is_directory = false;
  uint64_t size_at_open = 0;
  uint64_t first_open_ns = 0;
  std::string final_path;
};

struct Recording {
  std::vector<Function>
      functions;  // the first one is that of collective operations: `offset` of its calls is the communicator
  std::vector<std::string> paths = {""};                        // 0: not known
  std::set<uint32_t> links;                                     // paths that the job makes symbolic links of
  std::vector<Process> processes;                               // by rank, then by begin
  std::map<std::pair<uint64_t, std::string>, FileFacts> facts;  // by process and path
  uint64_t lost_calls = 0, lost_events = 0, left_out = 0;       // of the trace: settings left those out
  uint64_t messages = 0;
  std::string filter;
  bool has_log = false;
  std::vector<std::string> remarks;
  bool approximate = false;  // made of counters: order, offsets and sizes are such that they fit these
};

}  // namespace headrace::workload::replay
