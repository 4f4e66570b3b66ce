// Process images and what is known of each besides its files. An exec begins a new image of the same process.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::model {

enum class Ended : uint8_t { kExit, kExec, kKilled, kRunning, kUnknown };

/// The word used in logs, for example "killed".
constexpr std::string_view ended_name(Ended ended) {
  switch (ended) {
    case Ended::kExit:
      return "exit";
    case Ended::kExec:
      return "exec";
    case Ended::kKilled:
      return "killed";
    case Ended::kRunning:
      return "running";
    case Ended::kUnknown:
      return "unknown";
  }
  return "unknown";
}

struct Process {
  uint64_t id = 0;      // content hash, never 0 in a log
  uint64_t parent = 0;  // id of the image that forked or executed this one; 0: none known
  uint32_t process_id = 0, parent_process_id = 0;
  int64_t rank = -1;                 // in a parallel program; −1: none
  uint64_t ranks = 0, instance = 0;  // of that program: how many, and which run of it (equal at all its ranks)
  std::string host, executable, working_directory;
  std::string arguments;                    // separated by NUL bytes
  uint64_t start_at_ns = 0, end_at_ns = 0;  // since the job's start; end 0: not known
  uint64_t seen_at_ns = 0;                  // its end, or when it was last seen alive; 0: nobody saw; in no log
  Ended ended = Ended::kUnknown;
  int64_t exit_status = -1;  // as a shell gives it, 128 + signal for killed ones; −1: not known
  bool captured = false;
  std::string reason;  // why not, or what is missing
  uint64_t threads = 0, records = 0, folded_records = 0;
  uint64_t memory_bytes = 0, memory_limit_bytes = 0;
  uint64_t uncertain_operations = 0;  // each sum of a thread that was killed in an update may lack one operation
  uint64_t unattributed_operations = 0, unattributed_bytes = 0;  // counted here and in no file
  uint64_t spawned_ranks = 0;  // that MPI_Comm_spawn started for it, as the root of that
  bool spawned = false;        // it is such a rank
};

/// Id of a process image: its host, pid and creation time (ns of the host's boot clock).
uint64_t process_id_of(std::string_view host, uint32_t process_id, uint64_t created_boottime_ns);

/// One intercepted function in one process.
struct Profile {
  std::string_view function, layer;  // static storage, or of the owner's
  uint64_t calls = 0, errors = 0, bytes = 0, time_ns = 0, max_ns = 0;
  uint64_t own_ns = 0;  // of time_ns: outside other profiled calls that they made
};
/// Sums, and the greater maximum. Associative and commutative.
void merge(Profile& into, const Profile& from);

/// What happened during [start_at_ns, start_at_ns + width_ns): bytes moved, and operations that ended then.
struct SeriesBin {
  uint32_t what = 0;  // model::Direction; kOther: calls that neither read nor write; kMessage: what MPI was handed
  uint64_t start_at_ns = 0, width_ns = 0, bytes = 0, operations = 0;
  static constexpr uint32_t kOther = 2, kMessage = 3;
};
/// The word used in logs for SeriesBin::what.
constexpr std::string_view flow_name(uint32_t what) {
  constexpr std::string_view kNames[] = {"read", "write", "metadata", "message"};
  return kNames[what < 4 ? what : 2];
}

/// Something that happened and is not in the figures, with its amount.
struct Gap {
  std::string what;
  uint64_t amount = 0;
  std::string unit, reason;
};

}  // namespace headrace::model
