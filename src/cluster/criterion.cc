#include "cluster/criterion.h"

#include <cmath>

#include "cluster/quantile.h"

namespace headrace::cluster {
namespace {

constexpr double kNoiseShare = 0.05;
constexpr double kHalfLogTwoPi = 0.91893853320467274;

}  // namespace

Criterion::Criterion(const Placed& sample, uint32_t dims) : sample_(sample), dims_(dims) {
  std::vector<float> column(sample.rows());
  for (uint32_t j = 0; j < dims; ++j) {
    for (uint32_t i = 0; i < sample.rows(); ++i) column[i] = sample.row(i)[j];
    const double range = quantile(std::span(column), 0.99) - quantile(std::span(column), 0.01);
    uniform_ -= std::log(std::max(range, 10.0 * sample.finest));
  }
}

double Criterion::value(Distance distance, Centres& centres) const {
  const Division division = divide(sample_, centres, distance);
  const auto k = static_cast<uint32_t>(division.members.size());
  for (uint32_t c = 0; c < k; ++c)
    if (division.members[c].size() > 2) middle_of(sample_, division.members[c], &centres[c * sample_.size]);
  const auto scale = common_scale(sample_, centres, division);
  double constant = 0;
  std::vector<float> inverse(sample_.size);
  for (uint32_t j = 0; j < dims_; ++j) {
    constant -= std::log(scale[j]) + kHalfLogTwoPi;
    inverse[j] = 1 / scale[j];
  }
  std::vector<float> log_densities(sample_.rows());
  for (uint32_t i = 0; i < sample_.rows(); ++i) {
    const float *row = sample_.row(i), *centre = &centres[division.nearest[i] * sample_.size];
    float squares = 0;
    for (uint32_t j = 0; j < dims_; ++j) {
      const float z = (row[j] - centre[j]) * inverse[j];
      squares += z * z;
    }
    log_densities[i] = static_cast<float>(constant - squares / 2);
  }
  const double parameters = static_cast<double>(k - 1) + static_cast<double>(k) * dims_ + dims_;
  return likelihood(log_densities, division.nearest, k) - parameters / 2 * std::log(std::max(2u, sample_.rows()));
}

double Criterion::likelihood(const std::vector<float>& log_densities, const std::vector<uint32_t>& cluster,
                             uint32_t k) const {
  std::vector<double> rows(k);
  double all = 0;
  for (size_t i = 0; i < cluster.size(); ++i) {
    if (log_densities[i] <= uniform_) continue;
    ++rows[cluster[i]];
    ++all;
  }
  const double noise = std::log(kNoiseShare) + uniform_;
  double sum = 0;
  for (size_t i = 0; i < cluster.size(); ++i) {
    const double share = rows[cluster[i]] / std::max(1.0, all);
    const double normal = share > 0 ? std::log((1 - kNoiseShare) * share) + log_densities[i] : noise - 100;
    const double more = std::max(normal, noise);
    sum += more + std::log1p(std::exp(std::min(normal, noise) - more));
  }
  return sum;
}

}  // namespace headrace::cluster
