#include "forward/server/range_set.h"

#include <algorithm>

namespace headrace::forward {
namespace {

bool ends_before(const Range& range, uint64_t offset) { return range.end <= offset; }

}  // namespace

std::vector<Range>::iterator RangeSet::first_ending_after(uint64_t offset) {
  return std::lower_bound(ranges_.begin(), ranges_.end(), offset, ends_before);
}

std::vector<Range>::const_iterator RangeSet::first_ending_after(uint64_t offset) const {
  return std::lower_bound(ranges_.begin(), ranges_.end(), offset, ends_before);
}

void RangeSet::add(Range range) {
  if (range.begin >= range.end) return;
  // Most writes go on where the last one ended.
  if (!ranges_.empty() && ranges_.back().end == range.begin) {
    ranges_.back().end = range.end;
    return;
  }
  auto first = range.begin == 0 ? ranges_.begin() : first_ending_after(range.begin - 1);
  auto last = first;
  while (last != ranges_.end() && last->begin <= range.end) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
    ++last;
  }
  if (first == last) {
    ranges_.insert(first, range);
    return;
  }
  *first = range;
  ranges_.erase(first + 1, last);
}

void RangeSet::remove(Range range) {
  if (range.begin >= range.end) return;
  auto first = first_ending_after(range.begin);
  if (first == ranges_.end() || first->begin >= range.end) return;
  if (first->begin < range.begin && first->end > range.end) {
    const Range behind{range.end, first->end};
    first->end = range.begin;
    ranges_.insert(first + 1, behind);
    return;
  }
  if (first->begin < range.begin) {
    first->end = range.begin;
    ++first;
  }
  auto last = first;
  while (last != ranges_.end() && last->end <= range.end) ++last;
  if (last != ranges_.end() && last->begin < range.end) last->begin = range.end;
  ranges_.erase(first, last);
}

uint64_t RangeSet::bytes() const {
  uint64_t sum = 0;
  for (const Range& range : ranges_) sum += range.end - range.begin;
  return sum;
}

bool RangeSet::covers(Range range) const {
  if (range.begin >= range.end) return true;
  const auto found = first_ending_after(range.begin);
  return found != ranges_.end() && found->begin <= range.begin && found->end >= range.end;
}

std::vector<Range> RangeSet::within(Range range) const {
  std::vector<Range> parts;
  if (range.begin >= range.end) return parts;
  for (auto at = first_ending_after(range.begin); at != ranges_.end() && at->begin < range.end; ++at)
    parts.push_back({std::max(at->begin, range.begin), std::min(at->end, range.end)});
  return parts;
}

void RangeSet::coarsen(size_t most) {
  if (ranges_.size() <= most || most == 0) return;
  std::vector<uint64_t> gaps;
  for (size_t i = 1; i < ranges_.size(); ++i) gaps.push_back(ranges_[i].begin - ranges_[i - 1].end);
  const size_t closed = ranges_.size() - most;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(closed - 1), gaps.end());
  const uint64_t widest = gaps[closed - 1];
  std::vector<Range> merged = {ranges_[0]};
  for (size_t i = 1; i < ranges_.size(); ++i) {
    if (ranges_[i].begin - merged.back().end <= widest)
      merged.back().end = ranges_[i].end;
    else
      merged.push_back(ranges_[i]);
  }
  ranges_.swap(merged);
}

}  // namespace headrace::forward
