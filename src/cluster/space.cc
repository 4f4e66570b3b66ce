#include "cluster/space.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cluster/quantile.h"
#include "cluster/random.h"
#include "cluster/wide.h"

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
  // A block of rows is compared with all that are asked, so that it is read once.
  constexpr size_t kBlock = 64;
  std::vector<float> least(asked.size(), std::numeric_limits<float>::infinity());
  std::vector<uint32_t> nearest(asked.size());
  for (uint32_t first = 0; first < rows.rows(); first += kBlock) {
    float distance[kBlock];
    const auto count = static_cast<uint32_t>(std::min<size_t>(kBlock, rows.rows() - first));
    for (size_t i = 0; i < asked.size(); ++i) {
      distances_to(rows.row(asked[i]), rows.row(first), count, rows.size, distance);
      if (asked[i] - first < count) distance[asked[i] - first] = std::numeric_limits<float>::infinity();
      const float each = *std::min_element(distance, distance + count);
      if (!(each < least[i])) continue;
      least[i] = each;
      nearest[i] = first + static_cast<uint32_t>(std::find(distance, distance + count, each) - distance);
    }
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    const uint32_t row = asked[i], best = nearest[i];
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

namespace {

using FourFloats = float __attribute__((vector_size(16)));
using FourDoubles = double __attribute__((vector_size(32)));
using FourWords = int64_t __attribute__((vector_size(32)));

/// Four dimensions of a row; `beyond` becomes negative where a value is not usable. Written with vectors because
/// compilers make branches of the comparisons, one after the other.
HEADRACE_INLINED inline void place_four(const FourDoubles& raw, const double* less, const double* times, float* out,
                                        FourWords& beyond) {
  FourDoubles middle, weight;
  std::memcpy(&middle, less, sizeof middle);
  std::memcpy(&weight, times, sizeof weight);
  FourDoubles each = (raw - middle) * weight;
  each = each < kFarthest ? each : FourDoubles{} + kFarthest;
  each = each > -kFarthest ? each : FourDoubles{} - kFarthest;
  const FourFloats placed = __builtin_convertvector(each, FourFloats);
  std::memcpy(out, &placed, sizeof placed);
  // Bits of numbers without their sign are in the order of the numbers, and those of infinity and NaN come last.
  const auto limit = std::bit_cast<int64_t>(kLargest);
  beyond |= limit - (reinterpret_cast<FourWords>(raw) & INT64_MAX);
}

HEADRACE_INLINED inline bool place_row(const Space& space, const Points& points, size_t row, float* __restrict out,
                                       double* __restrict raw) {
  const uint32_t count = space.dims(), fours = count / 4 * 4;
  const double *less = space.middle.data(), *times = space.weight.data();
  FourWords beyond = {};
  for (uint32_t j = 0; j < fours; j += 4) {
    FourDoubles values;
    if (points.doubles) {
      std::memcpy(&values, static_cast<const double*>(points.data) + row * count + j, sizeof values);
    } else {
      FourFloats floats;
      std::memcpy(&floats, static_cast<const float*>(points.data) + row * count + j, sizeof floats);
      values = __builtin_convertvector(floats, FourDoubles);
    }
    std::memcpy(raw + j, &values, sizeof values);
    place_four(values, less + j, times + j, out + j, beyond);
  }
  int64_t any = beyond[0] | beyond[1] | beyond[2] | beyond[3];
  if (fours < count) {  // the last ones, with room for what is not there
    FourDoubles values = {}, middle = {}, weight = {};
    float placed[4];
    beyond = FourWords{};
    for (uint32_t j = fours; j < count; ++j) {
      values[j - fours] = raw[j] = points.at(row, j);
      middle[j - fours] = less[j];
      weight[j - fours] = times[j];
    }
    place_four(values, reinterpret_cast<const double*>(&middle), reinterpret_cast<const double*>(&weight), placed,
               beyond);
    for (uint32_t j = fours; j < count; ++j) out[j] = placed[j - fours];
    any |= beyond[0] | beyond[1] | beyond[2] | beyond[3];
  }
  return any >= 0;
}

HEADRACE_AVX2 bool place_row_wide(const Space& space, const Points& points, size_t row, float* out, double* raw) {
  return place_row(space, points, row, out, raw);
}

}  // namespace

bool Space::place(const Points& points, size_t row, float* out, double* raw) const {
  return has_avx2() ? place_row_wide(*this, points, row, out, raw) : place_row(*this, points, row, out, raw);
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
