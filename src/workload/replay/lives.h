// What became of each file in the job, as far as its calls and its log say. Internal to replay.
#pragma once
#include <map>
#include <vector>

#include "workload/replay/plan.h"

namespace headrace::workload::replay {

struct Life {
  bool existed = false;  // before the job
  bool directory = false;
  bool made = false;   // under a name that nobody had
  uint64_t bytes = 0;  // then, as far as they were read or are known otherwise
  uint64_t most = 0;   // at any time
  uint64_t first_ns = kUnknown;
  uint64_t first_open_ns = kUnknown;
  uint64_t first_write_ns = kUnknown;
};

/// Of all paths that calls of Fate::kDone name.
std::map<uint32_t, Life> lives_of(const Recording& job, const Plan& plan);

/// Fills Plan::prepared and footprint.
void prepare_files(Recording& job, const std::map<uint32_t, Life>& lives, Plan& plan);

}  // namespace headrace::workload::replay
