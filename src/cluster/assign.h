#pragma once
// Each row to its cluster.

#include "cluster/tally.h"

namespace headrace::cluster {

struct Assignment {
  std::vector<uint32_t> cluster;  // of each row; all bits set when it is not usable
  std::vector<float> score;
};

/// Assigns the rows, whose ids begin at `first`, and counts them.
void assign(const Model& model, const Points& rows, uint64_t first, Assignment& assignment, Tally& tally);

}  // namespace headrace::cluster
