// What later calls of a process tell of its earlier ones. Internal to replay.
#pragma once
#include <vector>

#include "workload/replay/plan.h"

namespace headrace::workload::replay {

/// What is done with a file from an opening on until all that is open of it is closed.
struct Session {
  bool reads = false, writes = false, reads_first = false;
};

struct Hints {
  std::vector<Session> sessions;    // by call: of openings, and what is left of it for calls on what is open
  std::vector<uint64_t> positions;  // of openings and seeks: where the next reading or writing begins
};

Hints look_ahead(const Recording& job, const std::vector<Call>& calls, const std::vector<Fate>& fates);

}  // namespace headrace::workload::replay
