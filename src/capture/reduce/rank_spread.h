// How ranks differ in what they did to one file, kept so that two halves of the ranks can be joined.
//
// Plain values; safe in any thread. Means and variances are joined as in T. F. Chan, G. H. Golub, R. J. LeVeque,
// "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headrace::capture {

/// One figure of each rank.
struct Spread {
  uint64_t least = 0, most = 0;
  double mean = 0, squares = 0;  // squares: sum of the squared distances from the mean
};

/// Which ranks: ranges, first and last, ascending. Of more than kMost ranges those of the lowest ranks stay.
class RankSet {
 public:
  static constexpr size_t kMost = 64;

  RankSet() = default;
  explicit RankSet(uint32_t rank) : ranges_{{rank, rank}} {}
  RankSet(std::vector<std::pair<uint32_t, uint32_t>> ranges, bool cut) : ranges_(std::move(ranges)), cut_(cut) {}
  void merge(const RankSet& other);

  const std::vector<std::pair<uint32_t, uint32_t>>& ranges() const { return ranges_; }
  bool cut() const { return cut_; }
  /// "0-3,8", and ",..." behind it when some did not fit.
  std::string text() const;

 private:
  std::vector<std::pair<uint32_t, uint32_t>> ranges_;
  bool cut_ = false;
};

struct RankSpread {
  uint64_t ranks = 0;
  Spread bytes, time_ns;              // read and written; in reads, writes and all other calls
  uint32_t fastest = 0, slowest = 0;  // by time; of equal ones the lowest
  RankSet who;

  RankSpread() = default;
  RankSpread(uint32_t rank, uint64_t bytes_moved, uint64_t time);
  void merge(const RankSpread& other);
};

}  // namespace headrace::capture
