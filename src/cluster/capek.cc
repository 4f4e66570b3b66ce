#include "cluster/capek.h"

#include <algorithm>
#include <limits>

#include "cluster/criterion.h"
#include "cluster/pam.h"
#include "cluster/quantile.h"
#include "cluster/random.h"

namespace headrace::cluster {
namespace {

constexpr uint32_t kSamples = 5;        // for each k
constexpr uint32_t kLeastSampled = 40;  // and two for each cluster, as CLARA (Kaufman and Rousseeuw, 1990) has it
constexpr double kTrusted = 0.9;        // of the rows, the nearest ones: the others may be noise

Centres medoids_of_sample(const Placed& sample, Distance distance, uint32_t k, Random& random) {
  const auto rows = random.choose(std::max(kLeastSampled + 2 * k, 2 * k), sample.rows());
  const auto distances = distances_among(sample, rows, distance);
  Centres centres;
  for (uint32_t medoid : find_medoids(distances, static_cast<uint32_t>(rows.size()), k)) {
    const float* row = sample.row(rows[medoid]);
    centres.insert(centres.end(), row, row + sample.size);
  }
  return centres;
}

double trimmed_loss(const Placed& sample, Distance distance, const Centres& centres) {
  auto distances = divide(sample, centres, distance).distance;
  const float limit = quantile(std::span(distances), kTrusted);
  double sum = 0;
  for (float each : distances)
    if (each <= limit) sum += each;
  return sum;
}

/// The best of several samples.
Centres best_of_samples(const Placed& sample, Distance distance, uint32_t k, Random& random) {
  Centres best;
  double least = std::numeric_limits<double>::max();
  for (uint32_t i = 0; i < kSamples; ++i) {
    Centres centres = medoids_of_sample(sample, distance, k, random);
    const double loss = trimmed_loss(sample, distance, centres);
    if (loss < least) {
      least = loss;
      best = std::move(centres);
    }
    if (sample.rows() <= kLeastSampled + 2 * k) break;  // each sample is all there is
  }
  return best;
}

}  // namespace

Centres find_centres(const Placed& sample, uint32_t dims, Distance distance, uint32_t k, uint64_t seed) {
  Random random(seed, 2);
  if (k != 0) {
    Centres centres = best_of_samples(sample, distance, std::min(k, sample.rows()), random);
    settle(sample, distance, centres);
    return centres;
  }
  const Criterion criterion(sample, dims);
  Centres best;
  double most = -std::numeric_limits<double>::max();
  for (uint32_t each = 1; each <= std::min(kMostClustersTried, sample.rows()); ++each) {
    Centres centres = best_of_samples(sample, distance, each, random);
    const double value = criterion.value(distance, centres);
    if (value <= most) continue;
    most = value;
    best = std::move(centres);
  }
  return best;
}

}  // namespace headrace::cluster
