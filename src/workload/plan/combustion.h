// Checkpoints of a combustion code with adaptive meshes: nodes hold patches of uneven sizes, each written at once.
//
// The strategies are those of P. Carns et al., "Understanding and improving computational science storage access
// through continuous characterization" (MSST 2011), section VI: a file for each node, the same with files that were
// made before, and one file that all nodes write together.
#pragma once
#include <memory>

#include "workload/plan/pattern.h"

namespace headrace::workload {

struct CombustionSettings {
  enum class Strategy { kFilePerNode, kPrecreated, kShared };
  Strategy strategy = Strategy::kFilePerNode;
  int per_node = 1;             // consecutive ranks that make a node; the first of them writes
  uint64_t patches = 4;         // of a node
  uint64_t smallest = 1 << 20;  // bytes of a patch, from here
  uint64_t largest = 4 << 20;   // to here; what they are follows from the seed
  uint64_t checkpoints = 2;
  int ranks = 1;
  uint64_t seed = 0;
};

/// The word that names a strategy.
const char* strategy_name(CombustionSettings::Strategy strategy);

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_combustion(const CombustionSettings& settings);

}  // namespace headrace::workload
