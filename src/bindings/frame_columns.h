#pragma once
// Columns of a frame looked up once, for loops over its rows. They point into the frame, which must stay. Pure.

#include <cstdint>
#include <string_view>

#include "bindings/frame.h"

namespace headrace::bindings {

/// A sum, or the greatest number where it has no room: of damaged logs, whose figures nobody takes (impossible()).
inline int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/// Numbers as signed ones: times of wrong clocks are negative, as everywhere. 0 where there is no such column.
class NumberAt {
 public:
  NumberAt(const Frame& frame, std::string_view column) {
    if (const Values* values = frame.find(column)) words_ = values->words.get();
  }
  int64_t operator()(uint64_t row) const { return words_ ? static_cast<int64_t>(words_[row]) : 0; }
  int64_t sum(uint64_t rows) const {
    int64_t sum = 0;
    for (uint64_t row = 0; words_ && row < rows; ++row) sum = plus(sum, static_cast<int64_t>(words_[row]));
    return sum;
  }

 private:
  const uint64_t* words_ = nullptr;
};

/// Texts; empty where there is no such column.
class TextAt {
 public:
  TextAt(const Frame& frame, std::string_view column) {
    if (const Values* values = frame.find(column); values && values->offsets) values_ = values;
  }
  std::string_view operator()(uint64_t row) const { return values_ ? values_->text(row) : std::string_view(); }

 private:
  const Values* values_ = nullptr;
};

}  // namespace headrace::bindings
