#pragma once
// The information criterion that chooses between clusterings of different k.
//
// The paper takes the Bayesian one (section IV). As in X-means, and in CAPEK's own implementation, it is often written
// with one variance for all dimensions, taken from the distances to medoids: that variance is too large, so more and
// more clusters seem to be worth their parameters, and it is 0 for equal points. Here it is
//
//   sum over rows of log(density) - parameters/2 · log(rows)
//
// of a mixture: normal clusters whose centre is the median and whose deviations, one a dimension and the same for all
// clusters, come from median deviations, so that tails and noise do not widen them; and a uniform part that holds 5 %
// of the rows at most, so that a row far from everything costs a bounded amount.

#include "cluster/centres.h"

namespace headrace::cluster {

class Criterion {
 public:
  /// `sample`: usable rows; must outlive this.
  explicit Criterion(const Placed& sample, uint32_t dims);

  /// Greater is better. Centres are moved to the medians of their rows first, in `centres` itself.
  double value(Distance distance, Centres& centres) const;

 private:
  double likelihood(const std::vector<float>& log_densities, const std::vector<uint32_t>& cluster, uint32_t k) const;

  const Placed& sample_;
  uint32_t dims_;
  double uniform_ = 0;  // log of the density of the uniform part
};

}  // namespace headrace::cluster
