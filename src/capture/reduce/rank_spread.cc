#include "capture/reduce/rank_spread.h"

#include <algorithm>

namespace headrace::capture {
namespace {

void merge_spread(Spread& into, uint64_t count, const Spread& from, uint64_t from_count) {
  const auto a = static_cast<double>(count), b = static_cast<double>(from_count);
  const double distance = from.mean - into.mean;
  into.least = std::min(into.least, from.least);
  into.most = std::max(into.most, from.most);
  into.mean += distance * b / (a + b);
  into.squares += from.squares + distance * distance * a * b / (a + b);
}

}  // namespace

void RankSet::merge(const RankSet& other) {
  std::vector<std::pair<uint32_t, uint32_t>> all;
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(), std::back_inserter(all));
  ranges_.clear();
  for (const auto& range : all) {
    if (!ranges_.empty() && uint64_t{range.first} <= uint64_t{ranges_.back().second} + 1)
      ranges_.back().second = std::max(ranges_.back().second, range.second);
    else
      ranges_.push_back(range);
  }
  cut_ = cut_ || other.cut_ || ranges_.size() > kMost;
  if (ranges_.size() > kMost) ranges_.resize(kMost);
}

std::string RankSet::text() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  return cut_ ? text + ",..." : text;
}

RankSpread::RankSpread(uint32_t rank, uint64_t bytes_moved, uint64_t time)
    : ranks(1),
      bytes{bytes_moved, bytes_moved, static_cast<double>(bytes_moved), 0},
      time_ns{time, time, static_cast<double>(time), 0},
      fastest(rank),
      slowest(rank),
      who(rank) {}

void RankSpread::merge(const RankSpread& other) {
  const auto take = [](uint32_t& mine, uint64_t my_time, uint32_t its, uint64_t its_time) {
    if (its_time == my_time) mine = std::min(mine, its);
    if (its_time > my_time) mine = its;
  };
  if (other.ranks == 0) return;
  if (ranks == 0) {
    *this = other;
    return;
  }
  take(slowest, time_ns.most, other.slowest, other.time_ns.most);
  take(fastest, ~time_ns.least, other.fastest, ~other.time_ns.least);
  merge_spread(bytes, ranks, other.bytes, other.ranks);
  merge_spread(time_ns, ranks, other.time_ns, other.ranks);
  ranks += other.ranks;
  who.merge(other.who);
}

}  // namespace headrace::capture
