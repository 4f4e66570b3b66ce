// Which bytes of a file: ranges that neither overlap nor touch, in order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace headrace::forward {

struct Range {
  uint64_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

class RangeSet {
 public:
  void add(Range range);
  void remove(Range range);
  void clear() { ranges_.clear(); }

  bool empty() const { return ranges_.empty(); }
  size_t size() const { return ranges_.size(); }
  uint64_t bytes() const;
  uint64_t end() const { return ranges_.empty() ? 0 : ranges_.back().end; }
  bool covers(Range range) const;
  bool touches(Range range) const { return !within(range).empty(); }
  const std::vector<Range>& ranges() const { return ranges_; }
  /// Those that have bytes in `range`, cut to it.
  std::vector<Range> within(Range range) const;
  /// At most `most` ranges: those with the least between them become one. Tells too much rather than too little.
  void coarsen(size_t most);

 private:
  std::vector<Range>::iterator first_ending_after(uint64_t offset);
  std::vector<Range>::const_iterator first_ending_after(uint64_t offset) const;
  std::vector<Range> ranges_;
};

}  // namespace headrace::forward
