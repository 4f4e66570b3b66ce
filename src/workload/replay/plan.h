// From a recorded job to what each rank of its replay does.
//
// Immutable once made; every rank makes the same plan of the same recording.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/replay/figures.h"
#include "workload/replay/recording.h"

namespace headrace::workload::replay {

/// How a file is opened; of streams, what of it a mode can say.
struct Opening {
  bool reads = false, writes = false, creates = false, truncates = false, appends = false, exclusive = false;
  bool synchronous = false;
  bool nameless = false;  // its name was taken away
};

struct Step {
  Action action = Action::kNone;
  bool extra = false;   // was not recorded: it stands for what a parent process did, or for a position
  bool failed = false;  // in the job
  Opening opening = {};
  uint32_t function = 0, path = 0;  // of the recording
  uint32_t slot = kNone;            // of what is open in this rank: which the step opens, or needs
  uint32_t from = kNone;            // of a duplicate, its slot; of two names, the other path; else the error in the job
  uint32_t group = kNone;           // of ranks that open a file together
  uint64_t offset = 0;              // of positions: where to; of sizes: the new one; of two names the error in the job
  uint64_t bytes = 0;               // to ask for
  uint64_t moved = 0;               // in the job
  uint64_t begin_ns = 0, duration_ns = 0, waited_ns = 0;  // in the job
  uint32_t process = 0;                                   // of the recording
};

struct Prepared {
  uint32_t path;
  bool directory;
  uint64_t bytes;
};

/// Why calls are not replayed that are no calls of the job's on files.
inline constexpr char kMadeByMpi[] = "made by the MPI library for itself", kNoKnownFile[] = "on no file that is known",
                      kNoFiles[] = "on pipes, sockets, devices and standard streams",
                      kOfLauncher[] = "of the launcher of the MPI";

/// What is not done, by reason.
struct LeftOut {
  uint64_t calls = 0, bytes = 0;
};

struct PlanOptions {
  int ranks = 1;
  bool fold = false;  // several processes of the job may be one rank
  bool mpi = false;   // there is one to call
};

/// How ranks open a file with MPI-IO, all of them alike.
struct Together {
  uint32_t group = kNone;  // of Plan::groups; kNone: each by itself
  bool reads = false, writes = false;
};

/// Of a recorded call.
enum class Fate : uint8_t { kDone, kCaused, kLeftOut };

struct Plan {
  std::vector<std::vector<Fate>> fates;                // by process and call
  std::vector<std::vector<uint32_t>> ranks;            // processes of each
  bool folded = false;                                 // a rank does what several of the job did
  std::vector<std::vector<int>> groups;                // ranks that open files together
  std::map<uint32_t, std::vector<Together>> openings;  // by path: its first, second, … opening with MPI-IO
  std::vector<Prepared> prepared;                      // files and directories that the job found, parents first
  std::vector<FunctionFigures> job;                    // of what is replayed, by function
  std::map<std::string, LeftOut> left_out;
  std::map<std::string, LeftOut> below;  // library calls whose own calls are replayed
  std::vector<std::string> remarks;
  uint64_t largest_asked = 0, largest_moved = 0;
  uint64_t prepared_bytes = 0, footprint = 0;  // of all files in the end, at most
  uint64_t files = 0, meetings = 0;
  bool joins_threads = false;
  uint64_t job_ns = 0;  // from the first call that is replayed to the end of the last
};

/// kInvalid: so many ranks do not fit, with what would; or nothing of it can be replayed. May add paths (new names) to
/// the recording.
base::Result<Plan> make_plan(Recording& job, const PlanOptions& options);

/// What one rank does.
std::vector<Step> steps_of(const Plan& plan, const Recording& job, int rank);

}  // namespace headrace::workload::replay
