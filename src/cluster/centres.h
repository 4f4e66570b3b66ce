#pragma once
// Centres of clusters in the space, and what a sample says about them.

#include <cstdint>
#include <vector>

#include "cluster/space.h"

namespace headrace::cluster {

/// k rows of the space, one behind the other.
using Centres = std::vector<float>;

/// How a sample falls to centres.
struct Division {
  std::vector<uint32_t> nearest;               // of each row
  std::vector<float> distance;                 // to it
  std::vector<std::vector<uint32_t>> members;  // of each centre, the rows
};
Division divide(const Placed& sample, const Centres& centres, Distance distance);

/// The median of these rows by component, into `out`.
void middle_of(const Placed& sample, const std::vector<uint32_t>& rows, float* out);

/// By component, the median deviation from their centre of the rows of all clusters together, as the standard deviation
/// of a normal distribution; never below the finest.
std::vector<float> common_scale(const Placed& sample, const Centres& centres, const Division& division);

/// Moves centres to the medians of the rows nearest to them, a few times. The tenth of the rows that is furthest from
/// its centre has no say. A centre without rows stays where it is.
void settle(const Placed& sample, Distance distance, Centres& centres);

}  // namespace headrace::cluster
