#pragma once
// Clusters of the rows of a table that is spread over ranks; on one rank, of a table in memory.
//
//  1. sample    each rank draws lots for its rows; about kSampleRows of all go to rank 0, wherever they were
//  2. model     rank 0 finds the clusters of the sample (capek.h, refine.h) and how far their rows lie (model.h)
//  3. assign    every rank finds the cluster of each of its rows, and which lie outside
//  4. groups    what lies outside goes to rank 0, or a sample of it; it looks for small clusters (groups.h); 3 again
//  5. tally     counts, means, variances, extremes and representatives by one reduction (tally.h)
//
// That is CAPEK (section IV of the paper) with a round for what no sample of constant size shows. The paper spreads the
// samples over several workers; all of step 2 takes a tenth of a second whatever the number of ranks, so rank 0 does
// it. Each step takes O(log ranks) messages of constant size. Lots depend on the seed and a row's number alone, and
// sums are whole numbers: the same rows give the same result on any number of ranks.

#include <cstdint>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "base/result.h"
#include "cluster/model.h"
#include "cluster/points.h"
#include "cluster/tally.h"

namespace headrace::cluster {

struct Options {
  uint32_t k = 0;  // how many clusters; 0: as many as there are. A given k leaves no room for small groups
  uint64_t seed = 1;
  Normalisation normalisation = Normalisation::kSpread;
  Distance distance = nullptr;  // null: Manhattan. The same at all ranks
};

inline constexpr uint32_t kSampleRows = 2048, kSuspectRows = 4096;
inline constexpr uint32_t kMostClusters = 128, kMostDims = 4096;
inline constexpr uint32_t kNoCluster = ~uint32_t{0};

/// Of one cluster, over all ranks. Statistics are by dimension, of its regular members; NaN where it has none.
struct Cluster {
  uint64_t regular = 0;         // rows assigned to it that are no outliers
  uint64_t with_outliers = 0;   // rows assigned to it
  uint64_t representative = 0;  // the id of the regular row nearest to the centre
  std::vector<double> representative_values;
  std::vector<double> mean, variance, least, most;
};

struct Clustering {
  uint64_t rows = 0;      // of all ranks
  uint64_t unusable = 0;  // of them: a value is no number, infinite, or beyond kLargest. They are in no cluster
  uint64_t outliers = 0;
  std::vector<Cluster> clusters;  // that of most regular rows first
  std::vector<Outlier> worst;     // outliers of the highest scores
  Model model;

  // Of this rank's rows, in their order.
  uint64_t first = 0;              // the id of the first; they are numbered rank by rank
  std::vector<uint32_t> assigned;  // the nearest cluster; kNoCluster for those that are not usable
  std::vector<float> score;        // above kOutlier: an outlier (model.h)
};

/// Collective. `mine`: the rows of this rank, possibly none; then its dims do not count. kInvalid: ranks disagree about
/// the number of dimensions, there are none or more than kMostDims, or k is above kMostClusters. Without a usable row
/// there are no clusters.
base::Result<Clustering> cluster(base::Communicator& ranks, const Points& mine, const Options& options);

}  // namespace headrace::cluster
