#pragma once
// What is counted of each cluster over all ranks, in words that add up to the same whatever the order and the place, so
// that a clustering has the same statistics on line and off line. A floating-point sum has not: so deviations from the
// centre are rounded to a step, and whole numbers of steps and their squares are summed.
//
// Regular members are those that are no outliers; a sum over all would say more about the outliers than about the
// cluster.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/model.h"

namespace headrace::cluster {

inline constexpr size_t kWorst = 16;

/// A row that lies outside of its cluster.
struct Outlier {
  uint64_t id = 0;
  uint32_t cluster = 0, dim = 0;  // the dimension that it deviates most in
  float score = 0;
};

class Tally {
 public:
  /// `rows`: of all ranks together.
  Tally(const Model& model, uint64_t rows);

  void add_unusable() { ++words_[kUnusable]; }
  /// A row in the space, and as it is in the table.
  void add(uint64_t id, uint32_t cluster, float distance, float score, const float* row, const double* raw);
  /// Moves what add() has gathered into the words.
  void finish();

  /// All there is, for a reduction with combine(); of equal length at all ranks.
  std::span<uint64_t> words() { return words_; }
  static void combine(uint32_t k, uint32_t dims, std::span<uint64_t> into, std::span<const uint64_t> other);

  uint64_t unusable() const { return words_[kUnusable]; }
  uint64_t suspects() const { return words_[kSuspects]; }
  uint64_t outliers() const { return words_[kOutliers]; }
  uint64_t size(uint32_t cluster) const { return words_[at(cluster) + kSize]; }
  uint64_t regular(uint32_t cluster) const { return words_[at(cluster) + kRegular]; }
  /// The id of the regular row nearest to the centre; where there is none, of the nearest outlier.
  uint64_t medoid(uint32_t cluster) const { return words_[at(cluster) + kMedoid]; }
  /// Distances of all members to their centre.
  double mean(uint32_t cluster, uint32_t dim) const;
  double variance(uint32_t cluster, uint32_t dim) const;
  double least(uint32_t cluster, uint32_t dim) const;
  double most(uint32_t cluster, uint32_t dim) const;
  /// Outliers of the highest scores, at most kWorst.
  std::vector<Outlier> worst() const;

 private:
  enum Word : size_t { kUnusable, kSuspects, kOutliers, kHead };
  enum ClusterWord : size_t { kSize, kRegular, kNearness, kMedoid, kClusterHead };
  enum DimWord : size_t { kSum, kSquares, kLeast, kMost, kDimWords };
  static size_t cluster_words(uint32_t dims) { return kClusterHead + kDimWords * size_t{dims}; }
  static size_t first_cluster() { return kHead + 2 * kWorst; }

  size_t at(uint32_t cluster) const { return first_cluster() + cluster * cluster_words(dims_); }
  size_t at(uint32_t cluster, uint32_t dim, DimWord word) const {
    return at(cluster) + kClusterHead + size_t{word} * dims_ + dim;
  }
  void add_regular(uint32_t cluster, const float* row, const double* raw);
  void flush(uint32_t cluster);

  const Model& model_;
  uint32_t k_, dims_;
  std::vector<uint64_t> words_;
  std::vector<float> steps_;            // in one unit of the space, by cluster and dimension
  std::vector<double> sums_, squares_;  // in steps, as long as these are whole
  std::vector<double> least_, most_;
  std::vector<uint32_t> pending_;  // rows in them, by cluster
};

}  // namespace headrace::cluster
