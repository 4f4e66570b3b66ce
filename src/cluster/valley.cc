#include <algorithm>
#include <array>
#include <cmath>

#include "cluster/quantile.h"
#include "cluster/refine.h"

namespace headrace::cluster {
namespace {

constexpr float kApart = 3.5f;  // standard deviations between centres in a dimension that tells them apart
constexpr double kDeep = 0.3;   // of the lower one of the two peaks
constexpr double kSure = 1.6;   // difference of the roots of two counts; that of equal ones varies by 0.7
// A row's place on the line: 0 is one centre, 1 the other. Windows are three steps wide.
constexpr int kSteps = 40;
constexpr double kFirst = -1.5, kStep = 0.1;
constexpr int kHalfWay = 20;

constexpr size_t kFewDeviations = 40;        // below, their median is often small by chance
constexpr float kDeviationOfMean = 1.2533f;  // as kDeviationOfMedian

using Rows = std::vector<uint32_t>;

float scale_of(std::vector<float>& deviations) {
  const auto count = static_cast<float>(deviations.size());
  float sum = 0;
  for (const float each : deviations) sum += each;
  const float by_median = kDeviationOfMedian * median(std::span(deviations));
  if (deviations.size() >= kFewDeviations) return by_median;
  // Two of them are spent on the two centres.
  return std::max(by_median, kDeviationOfMean * sum / count * std::sqrt(count / std::max(1.0f, count - 2)));
}

/// The dimensions that tell two centres apart, and their weights on the line between them; 0 for the others.
std::vector<double> line_between(const Placed& sample, uint32_t dims, const Rows& a, const Rows& b,
                                 const std::vector<float>& from, const std::vector<float>& to) {
  std::vector<double> weights(dims);
  std::vector<float> deviations(a.size() + b.size());
  const auto rows = static_cast<float>(deviations.size());
  const float apart = kApart * (1 + 8 / rows);  // the fewer rows, the more often chance tells them apart
  for (uint32_t j = 0; j < dims; ++j) {
    auto out = deviations.begin();
    for (uint32_t row : a) *out++ = std::fabs(sample.row(row)[j] - from[j]);
    for (uint32_t row : b) *out++ = std::fabs(sample.row(row)[j] - to[j]);
    const float scale = std::max(sample.finest, scale_of(deviations));
    const float difference = to[j] - from[j];
    if (std::fabs(difference) >= apart * scale) weights[j] = difference / (double{scale} * scale);
  }
  return weights;
}

/// How many rows fall to each step of the line.
std::array<int, kSteps> count_along(const Placed& sample, const Rows& a, const Rows& b, const std::vector<float>& from,
                                    const std::vector<double>& weights, double length) {
  std::array<int, kSteps> counts{};
  for (const Rows* rows : {&a, &b}) {
    for (uint32_t row : *rows) {
      double place = 0;
      for (size_t j = 0; j < weights.size(); ++j) place += weights[j] * (sample.row(row)[j] - from[j]);
      const double step = std::floor((place / length - kFirst) / kStep);
      if (step >= 0 && step < kSteps) ++counts[static_cast<size_t>(step)];
    }
  }
  return counts;
}

bool has_valley(const std::array<int, kSteps>& counts) {
  std::array<int, kSteps> windows{};
  for (size_t i = 1; i + 1 < kSteps; ++i) windows[i] = counts[i - 1] + counts[i] + counts[i + 1];
  const auto middle = windows.begin() + kHalfWay;
  const auto left = std::max_element(windows.begin(), middle), right = std::max_element(middle, windows.end());
  const double lowest = *std::min_element(left, right), peak = std::min(*left, *right);
  const int all = *left + *right;
  return lowest < kDeep * peak && std::sqrt(peak) - std::sqrt(lowest) >= (all < 12 ? 1 : kSure);
}

}  // namespace

bool valley_between(const Placed& sample, uint32_t dims, const Rows& a, const Rows& b) {
  std::vector<float> from(sample.size), to(sample.size);
  middle_of(sample, a, from.data());
  middle_of(sample, b, to.data());
  return valley_between(sample, dims, a, b, from, to);
}

bool valley_between(const Placed& sample, uint32_t dims, const Rows& a, const Rows& b, const std::vector<float>& from,
                    const std::vector<float>& to) {
  const auto weights = line_between(sample, dims, a, b, from, to);
  double length = 0;
  for (uint32_t j = 0; j < dims; ++j) length += weights[j] * (to[j] - from[j]);
  return length > 0 && has_valley(count_along(sample, a, b, from, weights, length));
}

}  // namespace headrace::cluster
