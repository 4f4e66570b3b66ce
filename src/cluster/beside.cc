#include "cluster/beside.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cluster/quantile.h"
#include "cluster/random.h"
#include "cluster/refine.h"

namespace headrace::cluster {
namespace {

constexpr uint32_t kMostAcross = 128;  // rows of more are not looked at
constexpr size_t kLeastAcross = 64;
constexpr double kRowsADim = 6;                 // that many rows for each dimension at least
constexpr uint32_t kTried = 48, kFollowed = 3;  // directions
constexpr int kMoves = 30;
constexpr double kStride = 0.25, kFarAlong = 3;
constexpr double kRidge = 0.01;  // of a dimension's variance, added to it
constexpr int kBins = 48;
constexpr double kDeepAlong = 0.3, kSureAlong = 3.0;

using Rows = std::vector<uint32_t>;
using Direction = std::vector<double>;

/// Rows without their common correlations; their norms are limited, so that a few far ones have no say.
class Round {
 public:
  Round(const Placed& sample, uint32_t dims, const Rows& rows) : dims_(dims), count_(rows.size()) {
    center(sample, rows);
    auto lower = covariance();
    decompose(lower);
    for (size_t i = 0; i < count_; ++i) solve(lower, &values_[i * dims_]);
  }

  double place(size_t row, const Direction& along) const {
    double sum = 0;
    for (uint32_t j = 0; j < dims_; ++j) sum += along[j] * values_[row * dims_ + j];
    return sum;
  }
  const double* row(size_t i) const { return &values_[i * dims_]; }
  size_t count() const { return count_; }
  uint32_t dims() const { return dims_; }

 private:
  void center(const Placed& sample, const Rows& rows) {
    values_.resize(count_ * dims_);
    std::vector<float> column(count_), deviations(count_);
    for (uint32_t j = 0; j < dims_; ++j) {
      for (size_t i = 0; i < count_; ++i) column[i] = sample.row(rows[i])[j];
      deviations = column;
      const float low = quantile(std::span(deviations), 0.1), high = quantile(std::span(deviations), 0.9);
      const float middle = (low + high) / 2, reach = std::max(sample.finest, high - low);
      double sum = 0;
      for (size_t i = 0; i < count_; ++i)
        sum += values_[i * dims_ + j] = std::clamp((column[i] - middle) / reach, -2.5f, 2.5f);
      for (size_t i = 0; i < count_; ++i) values_[i * dims_ + j] -= sum / static_cast<double>(count_);
    }
  }

  std::vector<double> covariance() const {
    std::vector<double> sums(size_t{dims_} * dims_);
    for (size_t i = 0; i < count_; ++i)
      for (uint32_t a = 0; a < dims_; ++a)
        for (uint32_t b = 0; b <= a; ++b) sums[a * dims_ + b] += values_[i * dims_ + a] * values_[i * dims_ + b];
    for (double& each : sums) each /= static_cast<double>(count_);
    for (uint32_t j = 0; j < dims_; ++j) sums[j * dims_ + j] = sums[j * dims_ + j] * (1 + kRidge) + 1e-9;
    return sums;
  }

  /// Cholesky's.
  void decompose(std::vector<double>& matrix) const {
    for (uint32_t a = 0; a < dims_; ++a) {
      for (uint32_t b = 0; b <= a; ++b) {
        double sum = matrix[a * dims_ + b];
        for (uint32_t c = 0; c < b; ++c) sum -= matrix[a * dims_ + c] * matrix[b * dims_ + c];
        matrix[a * dims_ + b] = a == b ? std::sqrt(std::max(sum, 1e-12)) : sum / matrix[b * dims_ + b];
      }
    }
  }

  void solve(const std::vector<double>& lower, double* row) const {
    for (uint32_t a = 0; a < dims_; ++a) {
      for (uint32_t b = 0; b < a; ++b) row[a] -= lower[a * dims_ + b] * row[b];
      row[a] /= lower[a * dims_ + a];
    }
  }

  uint32_t dims_;
  size_t count_;
  std::vector<double> values_;
};

void make_unit(Direction& direction) {
  double squares = 1e-300;
  for (const double each : direction) squares += each * each;
  for (double& each : direction) each /= std::sqrt(squares);
}

/// Of every other row along a direction.
double kurtosis(const Round& rows, const Direction& along) {
  double squares = 0, fourths = 0, count = 0;
  for (size_t i = 0; i < rows.count(); i += 2) {
    const double place = std::clamp(rows.place(i, along), -kFarAlong, kFarAlong);
    squares += place * place;
    fourths += place * place * place * place;
    ++count;
  }
  return fourths * count / std::max(1e-12, squares * squares);
}

/// Down the slope of kurtosis.
void follow(const Round& rows, Direction& along) {
  Direction slope(rows.dims());
  for (int move = 0; move < kMoves; ++move) {
    std::fill(slope.begin(), slope.end(), 0.0);
    double count = 0;
    for (size_t i = 0; i < rows.count(); i += 2) {
      const double place = std::clamp(rows.place(i, along), -kFarAlong, kFarAlong);
      for (uint32_t j = 0; j < rows.dims(); ++j) slope[j] += place * place * place * rows.row(i)[j];
      ++count;
    }
    for (uint32_t j = 0; j < rows.dims(); ++j) along[j] -= kStride * slope[j] / count;
    make_unit(along);
  }
}

std::vector<Direction> directions(const Round& rows, Random& random) {
  std::vector<std::pair<double, Direction>> tried;
  for (uint32_t i = 0; i < kTried + rows.dims(); ++i) {
    Direction each(rows.dims());
    if (i < rows.dims()) each[i] = 1;
    for (double& value : each)
      if (i >= rows.dims()) value = static_cast<double>(random.below(2001)) - 1000;
    make_unit(each);
    const double value = kurtosis(rows, each);
    tried.emplace_back(value, std::move(each));
  }
  std::sort(tried.begin(), tried.end());
  tried.resize(kFollowed);
  for (auto& [value, direction] : tried) {
    follow(rows, direction);
    value = kurtosis(rows, direction);
  }
  std::sort(tried.begin(), tried.end());
  std::vector<Direction> found;
  for (auto& [value, direction] : tried) found.push_back(std::move(direction));
  return found;
}

struct Line {
  double first = 0, step = 1;
  std::array<int, kBins> counts{};

  int bin(double place) const { return static_cast<int>(std::floor((place - first) / step)); }
  int window(int at) const {
    return counts[static_cast<size_t>(at - 1)] + counts[static_cast<size_t>(at)] + counts[static_cast<size_t>(at + 1)];
  }
};

bool deep(int lowest, int peak) {
  return lowest < kDeepAlong * peak &&
         std::sqrt(static_cast<double>(peak)) - std::sqrt(static_cast<double>(lowest)) >= kSureAlong;
}

/// Rows of one half (`which`: 0 or 1) by their places.
Line line_of(const std::vector<double>& places, size_t which, Line line) {
  for (size_t i = which; i < places.size(); i += 2) {
    const int bin = line.bin(places[i]);
    if (bin >= 0 && bin < kBins) ++line.counts[static_cast<size_t>(bin)];
  }
  return line;
}

/// Where the deepest valley of one half is, if the other half has it too.
std::optional<double> valley(const std::vector<double>& places) {
  std::vector<double> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  Line line;
  line.first = sorted[sorted.size() / 50];
  line.step = (sorted[sorted.size() - 1 - sorted.size() / 50] - line.first) / kBins;
  if (!(line.step > 0)) return {};
  const Line asked = line_of(places, 0, line), other = line_of(places, 1, line);
  int best = 0;
  double most = 0;
  std::array<int, kBins> left{}, right{}, other_left{}, other_right{};
  for (int i = 1; i + 1 < kBins; ++i) {
    const auto at = static_cast<size_t>(i), mirror = static_cast<size_t>(kBins - 1 - i);
    left[at] = std::max(left[at - 1], asked.window(i));
    other_left[at] = std::max(other_left[at - 1], other.window(i));
    right[mirror] = std::max(mirror + 1 < kBins ? right[mirror + 1] : 0, asked.window(kBins - 1 - i));
    other_right[mirror] = std::max(mirror + 1 < kBins ? other_right[mirror + 1] : 0, other.window(kBins - 1 - i));
  }
  for (int i = 2; i + 2 < kBins; ++i) {
    const auto at = static_cast<size_t>(i);
    const int peak = std::min(left[at], right[at]), lowest = asked.window(i);
    const double how = std::sqrt(static_cast<double>(peak)) - std::sqrt(static_cast<double>(lowest));
    if (!deep(lowest, peak) || how <= most) continue;
    most = how;
    best = i;
  }
  if (best == 0) return {};
  const auto at = static_cast<size_t>(best);
  if (!deep(other.window(best), std::min(other_left[at], other_right[at]))) return {};
  return line.first + (best + 0.5) * line.step;
}

/// The two parts of a cluster; none where it is one.
std::optional<std::array<Rows, 2>> parts_of(const Placed& sample, uint32_t dims, const Rows& members, Random& random) {
  if (members.size() < kLeastAcross || static_cast<double>(members.size()) < kRowsADim * dims) return {};
  const Round rows(sample, dims, members);
  for (const Direction& along : directions(rows, random)) {
    std::vector<double> places;
    for (size_t i = 0; i < rows.count(); ++i) places.push_back(rows.place(i, along));
    const auto at = valley(places);
    if (!at) continue;
    std::array<Rows, 2> parts;
    for (size_t i = 0; i < rows.count(); ++i) parts[places[i] < *at ? 0 : 1].push_back(members[i]);
    if (std::min(parts[0].size(), parts[1].size()) >= 2 * least_members(sample.rows())) return parts;
  }
  return {};
}

}  // namespace

void split_beside(const Placed& sample, uint32_t dims, uint64_t seed, uint32_t most, Centres& centres,
                  Division& division) {
  if (dims < 2 || dims > kMostAcross) return;
  Random random(seed, 5);
  for (size_t c = 0; c < division.members.size();) {
    const auto parts = division.members.size() < most ? parts_of(sample, dims, division.members[c], random)
                                                      : std::optional<std::array<Rows, 2>>{};
    if (!parts) {
      ++c;
      continue;
    }
    const auto added = static_cast<uint32_t>(division.members.size());
    centres.resize(centres.size() + sample.size);
    division.members[c] = (*parts)[0];
    division.members.push_back((*parts)[1]);
    for (const uint32_t row : (*parts)[1]) division.nearest[row] = added;
    middle_of(sample, division.members[c], &centres[c * sample.size]);
    middle_of(sample, division.members[added], &centres[added * sample.size]);
  }
}

}  // namespace headrace::cluster
