#include "cluster/axes.h"

#include <algorithm>

#include "cluster/quantile.h"
#include "cluster/random.h"
#include "cluster/wide.h"

namespace headrace::cluster {
namespace {

constexpr float kClipped = 5;       // scales, beyond which a deviation has no more say
constexpr double kByChance = 1.25;  // times the edge of the eigenvalues of uncorrelated columns
constexpr size_t kLeastRows = 24;
constexpr int kPowers = 40, kLook = 11;  // when it is seen whether there are axes at all
constexpr double kNearly = 0.8, kNoLength = 1e-6;

using Matrix = std::vector<double>;
using LaneSums = float __attribute__((vector_size(32)));

HEADRACE_INLINED inline float along(const float* parts, const float* onto, size_t size) {
  LaneSums sum = {};
  for (size_t j = 0; j < size; j += kLanes) {
    LaneSums a, b;
    std::memcpy(&a, parts + j, sizeof a);
    std::memcpy(&b, onto + j, sizeof b);
    sum += a * b;
  }
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

HEADRACE_INLINED inline void resolve_row(const Axes& axes, const float* row, const float* centre, uint32_t cluster,
                                         size_t size, float* __restrict parts) {
  for (size_t j = 0; j < size; ++j) parts[j] = row[j] - centre[j];
  std::fill_n(parts + size, kMostAxes, 0.0f);
  for (uint32_t axis = 0; axis < axes.counts[cluster]; ++axis) {
    const float place = along(parts, axes.onto_of(cluster, axis, size), size);
    const float* const back = axes.back_of(cluster, axis, size);
    for (size_t j = 0; j < size; ++j) parts[j] -= place * back[j];
    parts[size + axis] = place;
  }
}

HEADRACE_AVX2 void resolve_row_wide(const Axes& axes, const float* row, const float* centre, uint32_t cluster,
                                    size_t size, float* parts) {
  resolve_row(axes, row, centre, cluster, size, parts);
}

std::vector<float> median_deviations(const std::vector<float>& deviations, size_t size, uint32_t dims, float finest) {
  std::vector<float> scale(dims), column(deviations.size() / size);
  for (uint32_t j = 0; j < dims; ++j) {
    for (size_t i = 0; i < column.size(); ++i) column[i] = std::fabs(deviations[i * size + j]);
    scale[j] = std::max(finest, kDeviationOfMedian * median(std::span(column)));
  }
  return scale;
}

/// Of clipped deviations; `spread`: their standard deviations.
Matrix correlations(const std::vector<float>& deviations, size_t size, uint32_t dims, float finest,
                    std::vector<float>& spread) {
  const size_t rows = deviations.size() / size;
  const auto scale = median_deviations(deviations, size, dims, finest);
  Matrix sums(size_t{dims} * dims);
  std::vector<float> row(dims);
  const auto clipped = [&](size_t i, uint32_t j) {
    return std::clamp(deviations[i * size + j] / scale[j], -kClipped, kClipped);
  };
  std::vector<double> mean(dims);  // that of skewed rows is not their centre
  for (size_t i = 0; i < rows; ++i)
    for (uint32_t j = 0; j < dims; ++j) mean[j] += double{clipped(i, j)} / static_cast<double>(rows);
  for (size_t i = 0; i < rows; ++i) {
    for (uint32_t j = 0; j < dims; ++j) row[j] = clipped(i, j) - static_cast<float>(mean[j]);
    for (uint32_t a = 0; a < dims; ++a)
      for (uint32_t b = 0; b <= a; ++b) sums[size_t{a} * dims + b] += double{row[a]} * row[b];
  }
  std::vector<double> root(dims);
  for (uint32_t j = 0; j < dims; ++j) {
    root[j] = std::sqrt(std::max(sums[size_t{j} * dims + j], 1e-12 * static_cast<double>(rows)));
    spread[j] = scale[j] * static_cast<float>(root[j] / std::sqrt(static_cast<double>(rows)));
  }
  for (uint32_t a = 0; a < dims; ++a)
    for (uint32_t b = 0; b <= a; ++b) sums[size_t{b} * dims + a] = sums[size_t{a} * dims + b] /= root[a] * root[b];
  return sums;
}

using Vectors = std::vector<std::vector<double>>;

/// Each less what it has along those before it, and of unit length; returns the lengths.
std::vector<double> make_orthonormal(Vectors& vectors) {
  std::vector<double> lengths;
  for (size_t i = 0; i < vectors.size(); ++i) {
    auto& each = vectors[i];
    for (size_t before = 0; before < i; ++before) {
      double place = 0;
      for (size_t j = 0; j < each.size(); ++j) place += each[j] * vectors[before][j];
      for (size_t j = 0; j < each.size(); ++j) each[j] -= place * vectors[before][j];
    }
    double squares = 0;
    for (const double value : each) squares += value * value;
    lengths.push_back(std::sqrt(squares));
    for (double& value : each) value /= std::max(lengths.back(), 1e-300);
  }
  return lengths;
}

/// Eigenvectors of the greatest eigenvalues, by powers of a few vectors that are kept orthogonal (F. L. Bauer, 1957).
/// None where the greatest eigenvalue is below `least`.
Vectors longest_axes(const Matrix& matrix, uint32_t dims, double least, std::vector<double>& values) {
  const uint32_t count = std::min(dims, kMostAxes);
  Vectors axes(count, std::vector<double>(dims)), next = axes;
  Random random(dims, 4);
  for (auto& axis : axes)
    for (double& value : axis) value = static_cast<double>(random.below(2001)) - 1000;
  make_orthonormal(axes);
  for (int round = 0; round < kPowers; ++round) {
    for (uint32_t q = 0; q < count; ++q) {
      for (uint32_t a = 0; a < dims; ++a) {
        double sum = 0;
        for (uint32_t b = 0; b < dims; ++b) sum += matrix[size_t{a} * dims + b] * axes[q][b];
        next[q][a] = sum;
      }
    }
    axes.swap(next);
    values = make_orthonormal(axes);
    if (round == kLook && values[0] < kNearly * least) break;
  }
  if (values[0] < least) return {};
  return axes;
}

}  // namespace

void Axes::resolve(const float* row, const float* centre, uint32_t cluster, size_t size, float* parts) const {
  if (has_avx2()) return resolve_row_wide(*this, row, centre, cluster, size, parts);
  resolve_row(*this, row, centre, cluster, size, parts);
}

void Axes::add_cluster(size_t size) {
  counts.push_back(0);
  onto.resize(onto.size() + most * size);
  back.resize(back.size() + most * size);
}

std::vector<std::vector<float>> principal_axes(const std::vector<float>& deviations, size_t size, uint32_t dims,
                                               float finest, std::vector<float>& spread) {
  std::vector<std::vector<float>> axes;
  const size_t rows = deviations.size() / size;
  spread.assign(dims, 1);
  if (rows < kLeastRows || dims < 2 || dims > kMostResolved) return axes;
  const Matrix matrix = correlations(deviations, size, dims, finest, spread);
  const double edge = 1 + std::sqrt(static_cast<double>(dims) / static_cast<double>(rows));
  const double least = kByChance * edge * edge;
  std::vector<double> values;
  for (const auto& axis : longest_axes(matrix, dims, least, values)) {
    const double value = values[axes.size()];
    // Few columns without their longest axis go together again, so that all their axes are taken.
    if (value < (dims > kMostAxes ? least : kNoLength)) break;
    axes.emplace_back(axis.begin(), axis.end());
  }
  return axes;
}

}  // namespace headrace::cluster
