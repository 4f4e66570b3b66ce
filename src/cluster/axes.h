#pragma once
// Columns that go together within a cluster: a rank on a slower node takes longer in all functions at once.
//
// Looked at column by column, such a row deviates as often as there are columns, and seems to be like no other. So a
// row's deviation from its centre is resolved into what it has along the principal axes of its cluster, and the rest.
// Axes are those of the correlations of the cluster's rows in the sample, as far as they are longer than chance makes
// them: the greatest eigenvalue of uncorrelated columns is about (1 + sqrt(columns/rows))² (V. A. Marchenko,
// L. A. Pastur, Distribution of eigenvalues for some sets of random matrices, 1967).

#include <cstdint>
#include <vector>

#include "cluster/distance.h"

namespace headrace::cluster {

inline constexpr uint32_t kMostAxes = kLanes;
inline constexpr uint32_t kMostResolved = 128;  // dimensions; rows of more are not resolved

struct Axes {
  uint32_t most = 0;             // of any cluster; 0: nothing is resolved
  std::vector<uint32_t> counts;  // of each cluster
  std::vector<float> onto;       // by cluster, axis and dimension: the coordinate along an axis is the sum of these
  std::vector<float> back;       // times the deviations, and the deviations are these times the coordinate

  const float* onto_of(uint32_t cluster, uint32_t axis, size_t size) const {
    return &onto[(cluster * most + axis) * size];
  }
  const float* back_of(uint32_t cluster, uint32_t axis, size_t size) const {
    return &back[(cluster * most + axis) * size];
  }
  /// What a row has in each of `size` dimensions apart from the axes, and behind these kMostAxes coordinates along
  /// them.
  void resolve(const float* row, const float* centre, uint32_t cluster, size_t size, float* parts) const;
  void add_cluster(size_t size);
};

/// Axes of one cluster, longest first: unit vectors in units of `spread`, which is set to the standard deviations.
/// `deviations`: rows of `size` floats with few outliers at most; five times the median deviation is the most that has
/// a say. `finest`: the least deviation that counts.
std::vector<std::vector<float>> principal_axes(const std::vector<float>& deviations, size_t size, uint32_t dims,
                                               float finest, std::vector<float>& spread);

}  // namespace headrace::cluster
