#pragma once
// Repairs the number of clusters that the criterion chose: it is blind to what the small samples missed.
//
// Two clusters are one unless there is a valley between them: along the line through their centres, in the dimensions
// that tell them apart, a place that far fewer rows fall to than to either side of it. That asks nothing about the
// shape of clusters, so one with long tails is not cut up; the same question put to the two halves of a cluster finds
// those that hide in one.

#include "cluster/centres.h"

namespace headrace::cluster {

/// Splits, joins and drops until nothing changes.
void refine(const Placed& sample, uint32_t dims, Distance distance, uint64_t seed, Centres& centres);

/// Whether there is a valley between the rows of `a` and those of `b`.
bool valley_between(const Placed& sample, uint32_t dims, const std::vector<uint32_t>& a,
                    const std::vector<uint32_t>& b);
/// The same; `from` and `to` are their middles.
bool valley_between(const Placed& sample, uint32_t dims, const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
                    const std::vector<float>& from, const std::vector<float>& to);

/// Rows that a cluster of a sample must have; smaller ones are looked for among what lies outside of all (groups.h).
uint32_t least_members(uint32_t sample_rows);

}  // namespace headrace::cluster
