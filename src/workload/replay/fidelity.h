// Whether a replay may stand for its job, and if not why.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "workload/replay/plan.h"
#include "workload/replay/player.h"

namespace headrace::workload::replay {

/// Of one layer, in the job or the replay.
struct LayerSum {
  uint64_t calls = 0, errors = 0, ns = 0;
  uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;
  uint64_t consecutive = 0, forward = 0, backward = 0;
  std::array<uint64_t, kSizes> read_sizes = {}, write_sizes = {};
};

struct LayerPair {
  std::string layer;
  LayerSum job, replay;
};

struct Fidelity {
  bool may_stand = true;
  bool approximate = false;
  std::vector<LayerPair> layers;         // those that have calls
  std::vector<std::string> differences;  // why it may not
  std::vector<std::string> notes;        // what is too little to matter
};

/// `replay`: sums of all ranks, by function; `counts`: the plain numbers of Played of all ranks together.
Fidelity judge(const Recording& job, const Plan& plan, const std::vector<FunctionFigures>& replay,
               const Played& counts);

}  // namespace headrace::workload::replay
