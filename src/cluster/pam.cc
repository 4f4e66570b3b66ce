#include "cluster/pam.h"

#include <algorithm>
#include <limits>

namespace headrace::cluster {
namespace {

constexpr float kFar = std::numeric_limits<float>::max();
constexpr int kMostSwapRounds = 20;
constexpr double kLeastGain = 1e-6;  // of the loss; below it rounding would swap for ever

class Medoids {
 public:
  Medoids(const std::vector<float>& distances, uint32_t count)
      : distances_(distances), count_(count), taken_(count), first_(count, kFar), second_(count), nearest_(count) {}

  /// The point that lowers the loss most becomes a medoid ("BUILD").
  void add_best() {
    uint32_t best = count_;
    double most = -std::numeric_limits<double>::max();
    for (uint32_t each = 0; each < count_; ++each) {
      if (taken_[each]) continue;
      double gain = 0;
      for (uint32_t i = 0; i < count_; ++i) {
        if (medoids_.empty())
          gain -= distance(each, i);
        else if (distance(each, i) < first_[i])
          gain += first_[i] - distance(each, i);
      }
      if (gain > most) {
        most = gain;
        best = each;
      }
    }
    taken_[best] = true;
    medoids_.push_back(best);
    for (uint32_t i = 0; i < count_; ++i) first_[i] = std::min(first_[i], distance(best, i));
  }

  /// Swaps until a round gains nothing.
  void improve() {
    assign();
    for (int round = 0; round < kMostSwapRounds; ++round) {
      bool gained = false;
      for (uint32_t each = 0; each < count_; ++each) gained |= !taken_[each] && swap_in(each);
      if (!gained) return;
    }
  }

  std::vector<uint32_t> take() { return std::move(medoids_); }

 private:
  float distance(uint32_t a, uint32_t b) const { return distances_[size_t{a} * count_ + b]; }

  void assign() {
    loss_ = 0;
    removal_.assign(medoids_.size(), 0);
    for (uint32_t i = 0; i < count_; ++i) {
      first_[i] = second_[i] = kFar;
      for (uint32_t c = 0; c < medoids_.size(); ++c) {
        const float each = distance(medoids_[c], i);
        if (each < first_[i]) {
          second_[i] = first_[i];
          first_[i] = each;
          nearest_[i] = c;
        } else if (each < second_[i]) {
          second_[i] = each;
        }
      }
      loss_ += first_[i];
      removal_[nearest_[i]] += second_[i] - first_[i];
    }
  }

  bool swap_in(uint32_t candidate) {
    change_ = removal_;  // of the loss, for each medoid that goes
    double shared = 0;
    for (uint32_t i = 0; i < count_; ++i) {
      const float each = distance(candidate, i);
      if (each < first_[i]) {
        shared += each - first_[i];
        change_[nearest_[i]] += first_[i] - second_[i];
      } else if (each < second_[i]) {
        change_[nearest_[i]] += each - second_[i];
      }
    }
    const auto best = std::min_element(change_.begin(), change_.end());
    if (*best + shared >= -kLeastGain * loss_) return false;
    uint32_t& medoid = medoids_[static_cast<size_t>(best - change_.begin())];
    taken_[medoid] = false;
    taken_[candidate] = true;
    medoid = candidate;
    assign();
    return true;
  }

  const std::vector<float>& distances_;
  uint32_t count_;
  std::vector<uint8_t> taken_;
  std::vector<float> first_, second_;  // distances to the nearest medoid and to the one after it
  std::vector<uint32_t> nearest_, medoids_;
  std::vector<double> removal_, change_;
  double loss_ = 0;
};

}  // namespace

std::vector<float> distances_among(const Placed& points, const std::vector<uint32_t>& rows, Distance distance) {
  const size_t count = rows.size();
  std::vector<float> distances(count * count);
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = 0; b < a; ++b) {
      const float each = between(distance, points.row(rows[a]), points.row(rows[b]), points.size);
      distances[a * count + b] = distances[b * count + a] = each;
    }
  }
  return distances;
}

std::vector<uint32_t> find_medoids(const std::vector<float>& distances, uint32_t count, uint32_t k) {
  Medoids medoids(distances, count);
  for (uint32_t i = 0; i < k; ++i) medoids.add_best();
  if (k > 1 && k < count) medoids.improve();
  return medoids.take();
}

}  // namespace headrace::cluster
