#pragma once
// Rows whose clusters are known, for tests.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "cluster/points.h"
#include "cluster/random.h"

namespace headrace::cluster {

inline constexpr uint32_t kNoise = ~uint32_t{0};

struct MadeKind {
  uint32_t rows = 10000, dims = 16, k = 5;
  std::string_view shape = "normal";  // or "laplace", "anisotropic", "same": all rows of a cluster are equal
  double unequal = 1;                 // each cluster is so many times as large as the one before it
  double noise = 0;                   // the share of rows that lie anywhere
  uint32_t group = 0;                 // rows of one more, small cluster
  double straggle = 0;                // one row deviates by so many standard deviations in one dimension
  uint32_t constant = 0;              // dimensions, the last ones, that are the same for all
  double together = 0;                // standard deviation of what all dimensions of a row have in common
};

class MadePoints {
 public:
  MadePoints(const MadeKind& kind, uint64_t seed) : kind_(kind), random_(seed, 77) {
    for (uint32_t j = 0; j < kind.dims; ++j)
      sigma_.push_back(kind.shape == "anisotropic" ? std::exp(1.5 * normal()) : 1 + 0 * normal());
    const uint32_t clusters = kind.k + (kind.group > 0);
    while (centres_.size() < clusters) add_centre();
    std::vector<double> weights;
    for (uint32_t c = 0; c < kind.k; ++c) weights.push_back(std::pow(kind.unequal, c));
    double sum = 0;
    for (double each : weights) sum += each;
    for (uint32_t i = 0; i < kind.rows; ++i) {
      uint32_t c = 0;
      for (double u = uniform() * sum; c + 1 < kind.k && u >= weights[c]; ++c) u -= weights[c];
      add_row(uniform() < kind.noise ? kNoise : i < kind.group ? kind.k : c);
    }
    if (kind.straggle > 0) {
      do straggler = random_.below(kind.rows);
      while (truth[straggler] >= kind.k);
      const auto j = random_.below(kind.dims - kind.constant);
      straggler_dim = static_cast<uint32_t>(j);
      values[straggler * kind.dims + j] += kind.straggle * sigma_[j] * (random_.below(2) ? 1 : -1);
    }
  }

  Points points() const { return {values.data(), kind_.rows, kind_.dims, true}; }

  std::vector<double> values;
  std::vector<uint32_t> truth;  // kNoise; k is the group
  uint64_t straggler = 0;
  uint32_t straggler_dim = 0;

 private:
  double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }
  double shaped() {
    if (kind_.shape == "same") return 0;
    if (kind_.shape != "laplace") return normal();
    return (random_.below(2) ? 1 : -1) * -std::log(1 - uniform()) / std::sqrt(2.0);
  }

  /// Six standard deviations or more from all others in four dimensions; some just that, some further.
  void add_centre() {
    const uint32_t free = kind_.dims - kind_.constant;
    std::vector<double> centre(kind_.dims, 0.0);
    for (uint32_t j = 0; j < free; ++j)
      centre[j] = uniform() < 0.5 ? 6.2 * static_cast<double>(random_.below(5)) : 24 * uniform();
    for (const auto& other : centres_) {
      uint32_t apart = 0;
      for (uint32_t j = 0; j < free; ++j) apart += std::fabs(centre[j] - other[j]) >= 6;
      if (apart < std::min(4u, free)) return;
    }
    centres_.push_back(centre);
  }

  void add_row(uint32_t cluster) {
    truth.push_back(cluster);
    const double common = kind_.together > 0 && cluster != kNoise ? kind_.together * normal() : 0;
    for (uint32_t j = 0; j < kind_.dims; ++j) {
      double value = 0;
      if (j < kind_.dims - kind_.constant)
        value = cluster == kNoise ? -6 + 36 * uniform() : centres_[cluster][j] + shaped() + common;
      values.push_back(100 + sigma_[j] * value);
    }
  }

  MadeKind kind_;
  Random random_;
  std::vector<double> sigma_;
  std::vector<std::vector<double>> centres_;
};

/// How alike two divisions of the same rows are: 1 when equal, about 0 when independent (adjusted Rand index).
inline double rand_index(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  const uint32_t most_a = *std::max_element(a.begin(), a.end()) + 1, most_b = *std::max_element(b.begin(), b.end()) + 1;
  std::vector<double> both(size_t{most_a} * most_b), of_a(most_a), of_b(most_b);
  for (size_t i = 0; i < a.size(); ++i) {
    ++both[size_t{a[i]} * most_b + b[i]];
    ++of_a[a[i]];
    ++of_b[b[i]];
  }
  const auto pairs = [](const std::vector<double>& counts) {
    double sum = 0;
    for (double each : counts) sum += each * (each - 1) / 2;
    return sum;
  };
  const double together = pairs(both), one = pairs(of_a), other = pairs(of_b);
  const auto rows = static_cast<double>(a.size());
  const double chance = one * other / (rows * (rows - 1) / 2), most = (one + other) / 2;
  return most == chance ? 1 : (together - chance) / (most - chance);
}

}  // namespace headrace::cluster
