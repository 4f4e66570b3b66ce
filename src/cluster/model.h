#pragma once
// What every rank needs to find its cluster: the space, the centres, and how far from its centre a row may lie.
//
// A distance over all dimensions hides a row that differs in one. So each dimension is looked at by itself: -log of the
// probability that a member of the cluster deviates as much, which has the mean 1 in any dimension, is
//
//   floor · (deviation / limit)^exponent      floor = log(dims), at least 1
//
// with exponents fitted to the middle and the 95 % point of the deviations, so that long tails are told from outliers
// (1 for Laplace, 1.4 for normal rows). What exceeds the floor is summed over the dimensions: about one dimension of a
// row does, in any number of dimensions. A score above kOutlier comes once in 40,000 rows; one above kSuspect, once in
// 400, also when no single dimension tells (the compound Poisson sum for many dimensions; in four, 120,000 and 600).
//
// That holds for dimensions that know nothing of each other. Where they go together in a cluster, its axes (axes.h) are
// looked at as more dimensions, and each dimension has the rest. `limit` and `exponent` have both, one behind the
// other.

#include "base/bytes.h"
#include "base/result.h"
#include "cluster/axes.h"
#include "cluster/centres.h"

namespace headrace::cluster {

inline constexpr float kSuspect = 8, kOutlier = 14;

struct Model {
  Space space;
  Distance distance = nullptr;
  Centres centres;
  std::vector<double> middles;  // the centres as values of the table, k times dims()
  std::vector<float> limit;     // k times parts()
  std::vector<float> exponent;  // parts()
  std::vector<float> scale;     // by dimension: the deviations of all clusters together
  float floor = 1;
  Axes axes;

  uint32_t k() const { return space.size() == 0 ? 0 : static_cast<uint32_t>(centres.size() / space.size()); }
  size_t parts() const { return space.size() + (axes.most == 0 ? 0 : kMostAxes); }
  /// How unlikely a row is in a cluster. `worst`: where to store the dimension that it deviates most in, or null.
  float score(const float* row, uint32_t cluster, uint32_t* worst = nullptr) const;
  /// The cluster of a row that its nearest one takes for a suspect, by `score`: another that does not, or the nearest.
  uint32_t better(const float* row, uint32_t nearest, float* score) const;
  /// The furthest that a row which is no outlier can lie from its centre in a dimension.
  float reach(uint32_t cluster, uint32_t dim) const;
  /// A cluster as wide as all are together.
  void add_cluster(const float* centre);
  /// Puts clusters into another order, and leaves some out.
  void keep(const std::vector<uint32_t>& clusters);

 private:
  uint32_t widest_along(uint32_t cluster, size_t axis) const;
  float limit_of_all(uint32_t cluster, uint32_t dim) const;
};

/// `sample` in `space`, the centres found in it, and which rows are theirs.
Model make_model(Space space, const Placed& sample, Distance distance, Centres centres, Division division);

float floor_of(uint32_t dims);

/// For other ranks. The distance does not travel.
std::vector<uint8_t> encode(const Model& model);
base::Result<Model> decode(base::Bytes bytes, Distance distance);

}  // namespace headrace::cluster
