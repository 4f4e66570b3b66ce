#pragma once
// Clusters beside each other, which no distance by columns tells apart: long ones that lie across the columns.
//
// The rows of a cluster are made round (whitened), and a direction is looked for in which they are least like a normal
// distribution's, towards two heaps: that of least kurtosis (D. Peña, F. J. Prieto, Cluster identification using
// projections, 2001). It is looked for in one half of the rows. Where the other half has a valley too, at the same
// place, the cluster is two: what was fitted to chance is not seen by rows that were not asked.

#include "cluster/centres.h"

namespace headrace::cluster {

/// Splits clusters of the sample until none has a valley in such a direction. Centres are added, and rows get new ones
/// in `division`, which need not be their nearest then.
void split_beside(const Placed& sample, uint32_t dims, uint64_t seed, uint32_t most, Centres& centres,
                  Division& division);

}  // namespace headrace::cluster
