#pragma once
// The sampled part of CAPEK (section IV of the paper; T. Gamblin et al., Clustering performance data efficiently at
// massive scales, 2010): k-medoids on random samples of constant size for each k, each result judged on a larger
// sample, also of constant size, instead of on everything.

#include "cluster/centres.h"

namespace headrace::cluster {

inline constexpr uint32_t kMostClustersTried = 16;

/// Centres that the criterion likes best. `k`: how many they must be; 0: any number up to kMostClustersTried. `sample`
/// has a row at least.
Centres find_centres(const Placed& sample, uint32_t dims, Distance distance, uint32_t k, uint64_t seed);

}  // namespace headrace::cluster
