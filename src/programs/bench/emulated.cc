#include "programs/bench/emulated.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload/emulation/state_file.h"

namespace headrace::programs {

using workload::emulation::State;

Emulated::Emulated(workload::Ranks& ranks) {
  const char* path = getenv(workload::emulation::kStateVariable);
  const char* brief = getenv(workload::emulation::kBriefVariable);
  if (path != nullptr) state_ = workload::emulation::join_state(path, {open, posix_fallocate, close, mmap, unlink});
  (void)ranks.all(true);  // the library of each has joined when it was loaded; some may have been told of none
  if (path != nullptr && brief != nullptr && brief[0] == '1') unlink(path);
}

std::string Emulated::counts() const {
  return state_ != nullptr ? workload::emulation::counts_json(*static_cast<const State*>(state_)) : "";
}

}  // namespace headrace::programs
