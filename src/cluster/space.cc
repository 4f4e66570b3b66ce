#include "cluster/space.h"

#include <algorithm>
#include <bit>

#include "cluster/quantile.h"
#include "cluster/random.h"

namespace headrace::cluster {
namespace {

constexpr uint32_t kAsked = 384;       // rows whose nearest is looked for
constexpr double kLeastSpread = 1e-3;  // of the range: a dimension of a few values has no spread at all otherwise
constexpr double kMostWeight = 1e290;

std::vector<double> column(const Points& rows, uint32_t dim) {
  std::vector<double> values(rows.rows);
  for (size_t i = 0; i < rows.rows; ++i) values[i] = rows.at(i, dim);
  return values;
}

/// Of the middle 90 %, or of all when these are all the same; 0 when all are.
double range_of(std::vector<double>& values) {
  const double range = quantile(std::span(values), 0.95) - quantile(std::span(values), 0.05);
  if (range > 0) return range;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

/// By dimension, the median of the differences between a row and its nearest.
std::vector<float> near_differences(const Placed& rows, uint32_t dims, const std::vector<uint32_t>& asked) {
  std::vector<std::vector<float>> differences(dims);
  for (uint32_t row : asked) {
    float least = 0;
    uint32_t best = row;
    for (uint32_t other = 0; other < rows.rows(); ++other) {
      if (other == row) continue;
      const float each = manhattan(rows.row(row), rows.row(other), rows.size);
      if (best == row || each < least) {
        least = each;
        best = other;
      }
    }
    for (uint32_t j = 0; j < dims; ++j) differences[j].push_back(std::fabs(rows.row(row)[j] - rows.row(best)[j]));
  }
  std::vector<float> medians(dims);
  for (uint32_t j = 0; j < dims; ++j) medians[j] = median(std::span(differences[j]));
  return medians;
}

void weigh_by_spread(const Points& rows, const std::vector<double>& range, uint64_t seed, Space& space) {
  const auto asked = Random(seed, 1).choose(kAsked, static_cast<uint32_t>(rows.rows));
  for (int round = 0; round < 3; ++round) {
    const auto differences = near_differences(place_all(space, rows), space.dims(), asked);
    for (uint32_t j = 0; j < space.dims(); ++j) {
      const double spread = kDeviationOfMedian * differences[j] / std::sqrt(2.0) / space.weight[j];
      space.weight[j] = std::min(kMostWeight, 1 / std::max(spread, kLeastSpread * range[j]));
    }
  }
}

}  // namespace

bool Space::place(const Points& points, size_t row, float* __restrict out, double* __restrict raw) const {
  const uint32_t count = dims();
  if (points.doubles) {
    std::memcpy(raw, static_cast<const double*>(points.data) + row * count, count * sizeof(double));
  } else {
    const float* __restrict from = static_cast<const float*>(points.data) + row * count;
    for (uint32_t j = 0; j < count; ++j) raw[j] = from[j];
  }
  // Loops without branches, so that they become vector instructions.
  const double* __restrict less = middle.data();
  const double* __restrict times = weight.data();
  for (uint32_t j = 0; j < count; ++j) {
    double each = (raw[j] - less[j]) * times[j];
    each = each < kFarthest ? each : kFarthest;
    each = each > -kFarthest ? each : -kFarthest;
    out[j] = static_cast<float>(each);
  }
  // Bits of numbers without their sign are in the order of the numbers, and those of infinity and NaN come last.
  const auto limit = std::bit_cast<int64_t>(kLargest);
  int64_t beyond = 0;  // negative if one is
  for (uint32_t j = 0; j < count; ++j) beyond |= limit - (std::bit_cast<int64_t>(raw[j]) & INT64_MAX);
  return beyond >= 0;
}

Space make_space(const Points& rows, Normalisation rule, uint64_t seed) {
  Space space;
  std::vector<double> range;
  double widest = 0;
  for (uint32_t j = 0; j < rows.dims; ++j) {
    auto values = column(rows, j);
    space.middle.push_back(median(std::span(values)));
    range.push_back(range_of(values));
    widest = std::max(widest, range[j]);
    if (range[j] == 0) range[j] = space.middle[j] == 0 ? 1 : std::fabs(space.middle[j]);
    space.weight.push_back(std::min(kMostWeight, 1 / range[j]));
  }
  if (rule == Normalisation::kSpread && rows.rows > 2) weigh_by_spread(rows, range, seed, space);
  // A common weight changes no order of distances; this one makes the widest range 10.
  if (rule == Normalisation::kNone) space.weight.assign(rows.dims, widest > 0 ? std::min(kMostWeight, 10 / widest) : 1);
  if (rule == Normalisation::kNone) space.finest = 0.05f;
  return space;
}

Placed place_all(const Space& space, const Points& points) {
  Placed placed;
  placed.size = space.size();
  placed.finest = space.finest;
  placed.values.assign(points.rows * placed.size, 0);
  std::vector<double> raw(space.dims());
  size_t rows = 0;
  for (size_t i = 0; i < points.rows; ++i)
    rows += space.place(points, i, &placed.values[rows * placed.size], raw.data());
  placed.values.resize(rows * placed.size);
  return placed;
}

}  // namespace headrace::cluster
