#pragma once
// The space that distances are measured in: each dimension less its median, times a weight.
//
//   kSpread  (default) weights are the inverse of how much alike rows differ in the dimension: of the median difference
//            between a row and the one nearest to it. Units fall out, and a dimension that varies inside clusters does
//            not hide one that tells them apart. Found on the sample, in three rounds, the first with the ranges for
//            weights.
//   kRange   the inverse of the range that holds the middle 90 %: units fall out.
//   kNone    one weight for all dimensions, so distances are those of the values themselves, as in the paper. All
//            dimensions have to have one unit.
//
// In every rule a dimension that is the same in all rows of the sample counts by a thousandth of its value.

#include <vector>

#include "cluster/distance.h"
#include "cluster/points.h"

namespace headrace::cluster {

enum class Normalisation : uint8_t { kSpread, kRange, kNone };

/// No coordinate is further from 0, so that no one dimension swallows the others' digits.
inline constexpr double kFarthest = 1e5;

/// A deviation that rounding may make.
inline constexpr float kFinest = 1e-4f;

struct Space {
  std::vector<double> middle, weight;  // by dimension
  float finest = kFinest;              // the least deviation that counts

  uint32_t dims() const { return static_cast<uint32_t>(middle.size()); }
  size_t size() const { return padded(middle.size()); }
  /// Puts a row of the table into the space: size() floats, and the row itself as dims() doubles. False: it is not
  /// usable. `out` must have been zero behind dims() before.
  bool place(const Points& points, size_t row, float* out, double* raw) const;
  double value_of(float coordinate, uint32_t dim) const { return middle[dim] + coordinate / weight[dim]; }
};

/// `rows`: a sample, usable.
Space make_space(const Points& rows, Normalisation rule, uint64_t seed);

/// Rows in a space.
struct Placed {
  size_t size = 0;  // floats a row
  std::vector<float> values;
  float finest = kFinest;  // as the space has it

  uint32_t rows() const { return size == 0 ? 0 : static_cast<uint32_t>(values.size() / size); }
  const float* row(size_t i) const { return values.data() + i * size; }
};

/// The usable rows.
Placed place_all(const Space& space, const Points& points);

}  // namespace headrace::cluster
