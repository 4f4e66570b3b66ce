#include "cluster/refine.h"

#include <algorithm>
#include <cmath>

#include "cluster/pam.h"
#include "cluster/quantile.h"
#include "cluster/random.h"

namespace headrace::cluster {
namespace {

constexpr int kMostRefinements = 8;
constexpr int kTries = 3;  // to find the halves of a cluster
constexpr uint32_t kSplitRows = 64;
constexpr float kDiffuse = 3;    // times as wide as the others
constexpr double kSmall = 0.05;  // of all rows
constexpr uint32_t kMostHalves = 64;

class Refinement {
 public:
  Refinement(const Placed& sample, uint32_t dims, Distance distance, uint64_t seed, Centres& centres)
      : sample_(sample), dims_(dims), distance_(distance), random_(seed, 3), centres_(centres) {}

  void run() {
    size_t before = 0;
    for (int round = 0, idle = 0; round < kMostRefinements; ++round) {
      settle(sample_, distance_, centres_);
      const bool fewer = drop_and_join();
      idle += count() == before;  // noise is split off and dropped again and again
      before = count();
      if (idle == 2 || (!split() && !fewer)) break;
    }
    while (drop_and_join()) continue;
  }

 private:
  /// Both, in this order. Returns whether either changed anything.
  bool drop_and_join() {
    const bool dropped = drop();
    return join() || dropped;
  }

  size_t count() const { return centres_.size() / sample_.size; }

  void remove(size_t cluster) {
    const auto begin = centres_.begin() + static_cast<ptrdiff_t>(cluster * sample_.size);
    centres_.erase(begin, begin + static_cast<ptrdiff_t>(sample_.size));
  }

  /// Without clusters of too few rows, and of small ones that are no denser than noise.
  bool drop() {
    bool dropped = false;
    while (count() > 1) {
      const Division division = divide(sample_, centres_, distance_);
      const auto scale = common_scale(sample_, centres_, division);
      size_t worst = count();
      for (size_t c = 0; c < count(); ++c) {
        const size_t rows = division.members[c].size();
        if (rows >= least_members(sample_.rows()) &&
            (static_cast<double>(rows) > kSmall * sample_.rows() || !diffuse(division, scale, c)))
          continue;
        if (worst == count() || rows < division.members[worst].size()) worst = c;
      }
      if (worst == count()) return dropped;
      remove(worst);
      dropped = true;
    }
    return dropped;
  }

  bool diffuse(const Division& division, const std::vector<float>& scale, size_t cluster) const {
    std::vector<float> ratios, deviations;
    for (uint32_t j = 0; j < dims_; ++j) {
      deviations.clear();
      for (uint32_t row : division.members[cluster])
        deviations.push_back(std::fabs(sample_.row(row)[j] - centres_[cluster * sample_.size + j]));
      ratios.push_back(kDeviationOfMedian * median(std::span(deviations)) / scale[j]);
    }
    return median(std::span(ratios)) > kDiffuse;
  }

  /// The nearest pair without a valley between them becomes one, as long as there is one.
  bool join() {
    bool joined = false;
    while (count() > 1) {
      const Division division = divide(sample_, centres_, distance_);
      std::vector<std::vector<float>> middles(count(), std::vector<float>(sample_.size));
      for (size_t c = 0; c < count(); ++c) middle_of(sample_, division.members[c], middles[c].data());
      float least = 0;
      size_t keep = 0, go = 0;
      for (size_t a = 0; a < count(); ++a) {
        for (size_t b = a + 1; b < count(); ++b) {
          const float apart =
              between(distance_, &centres_[a * sample_.size], &centres_[b * sample_.size], sample_.size);
          if (go != 0 && apart >= least) continue;
          if (valley_between(sample_, dims_, division.members[a], division.members[b], middles[a], middles[b]))
            continue;
          least = apart;
          keep = a;
          go = b;
        }
      }
      if (go == 0) return joined;
      auto rows = division.members[keep];
      rows.insert(rows.end(), division.members[go].begin(), division.members[go].end());
      if (!rows.empty()) middle_of(sample_, rows, &centres_[keep * sample_.size]);
      remove(go);
      joined = true;
    }
    return joined;
  }

  bool split() {
    const Division division = divide(sample_, centres_, distance_);
    bool found = false;
    for (size_t c = 0; c < division.members.size() && count() < kMostHalves; ++c) {
      const auto& rows = division.members[c];
      for (int i = 0; i < kTries && rows.size() >= 2 * least_members(sample_.rows()); ++i) {
        if (!split(c, rows)) continue;
        found = true;
        break;
      }
    }
    return found;
  }

  bool split(size_t cluster, const std::vector<uint32_t>& rows) {
    Placed members{sample_.size, {}, sample_.finest};
    for (uint32_t row : rows)
      members.values.insert(members.values.end(), sample_.row(row), sample_.row(row) + sample_.size);
    const auto chosen = random_.choose(kSplitRows, members.rows());
    const auto medoids =
        find_medoids(distances_among(members, chosen, distance_), static_cast<uint32_t>(chosen.size()), 2);
    Centres halves;
    for (uint32_t medoid : medoids) {
      const float* row = members.row(chosen[medoid]);
      halves.insert(halves.end(), row, row + members.size);
    }
    settle(members, distance_, halves);
    const Division division = divide(members, halves, distance_);
    for (const auto& half : division.members)
      if (half.size() < least_members(sample_.rows())) return false;
    if (!valley_between(members, dims_, division.members[0], division.members[1])) return false;
    const auto second = halves.begin() + static_cast<ptrdiff_t>(sample_.size);
    std::copy(halves.begin(), second, centres_.begin() + static_cast<ptrdiff_t>(cluster * sample_.size));
    centres_.insert(centres_.end(), second, halves.end());
    return true;
  }

  const Placed& sample_;
  uint32_t dims_;
  Distance distance_;
  Random random_;
  Centres& centres_;
};

}  // namespace

uint32_t least_members(uint32_t sample_rows) {
  if (sample_rows < 12) return 2;
  return std::max(3u, sample_rows / 250);
}

void refine(const Placed& sample, uint32_t dims, Distance distance, uint64_t seed, Centres& centres) {
  Refinement(sample, dims, distance, seed, centres).run();
}

}  // namespace headrace::cluster
