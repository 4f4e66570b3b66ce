#pragma once
// k-medoids of a few points by their distances: partitioning around medoids (L. Kaufman, P. J. Rousseeuw, Finding
// Groups in Data, 1990) with the eager swaps of E. Schubert, P. J. Rousseeuw, Fast and eager k-medoids clustering
// (2021): one look at all distances values the swap of a point with each of the k medoids at once, and any gain is
// taken.

#include <cstdint>
#include <vector>

#include "cluster/space.h"

namespace headrace::cluster {

/// Distances of each of `rows` to each other one.
std::vector<float> distances_among(const Placed& points, const std::vector<uint32_t>& rows, Distance distance);

/// Which of `count` points, `distances` apart, are the medoids; `k` is not above `count`.
std::vector<uint32_t> find_medoids(const std::vector<float>& distances, uint32_t count, uint32_t k);

}  // namespace headrace::cluster
