#pragma once
// A range of time in columns of equal width: the k-th begins floor(k × width of all / columns) behind the begin. Values
// only.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace::events {

class TimeColumns {
 public:
  /// `begin_at_ns` < `end_at_ns`, which is behind the last column; 1 ≤ `columns`.
  TimeColumns(uint64_t begin_at_ns, uint64_t end_at_ns, uint32_t columns)
      : begin_(begin_at_ns), span_(end_at_ns - begin_at_ns), columns_(columns) {
    edges_.reserve(size_t{columns} + 1);
    for (uint64_t column = 0; column <= columns; ++column)
      edges_.push_back(begin_ + static_cast<uint64_t>(static_cast<Wide>(span_) * column / columns_));
  }

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return begin_ + span_; }
  uint32_t size() const { return columns_; }

  /// Where a column begins; of size() it is end().
  uint64_t edge(uint32_t column) const { return edges_[column]; }

  /// The column of a time in [begin(), end()). Of columns without width, which share their begin, the last.
  uint32_t at(uint64_t at_ns) const {
    auto column = static_cast<uint32_t>(static_cast<Wide>(at_ns - begin_) * columns_ / span_);
    while (column + 1 < columns_ && edge(column + 1) <= at_ns) column++;
    return column;
  }

  /// Of the narrowest column, in ns; 0: there are more columns than ns.
  uint64_t narrowest() const { return span_ / columns_; }

 private:
  __extension__ using Wide = unsigned __int128;
  uint64_t begin_, span_;
  uint32_t columns_;
  std::vector<uint64_t> edges_;
};

}  // namespace headrace::events
