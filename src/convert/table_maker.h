#pragma once
// Tables made in memory, row by row, as a reader of a chunk file would give them. One thread at a time.

#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/columns.h"

namespace headrace::convert {

/// A column in the making. While all values are equal it takes no memory.
class NumberColumn {
 public:
  NumberColumn(std::string_view name, format::Type type) : name_(name), type_(type) {}
  void add(uint64_t value) {
    if (rows_ == 0) first_ = value;
    if (!words_.empty() || value != first_) {
      if (words_.empty()) words_.assign(rows_, first_);
      words_.push_back(value);
    }
    ++rows_;
  }
  void add(int64_t value) { add(static_cast<uint64_t>(value)); }
  void add(double value) { add(std::bit_cast<uint64_t>(value)); }
  /// `count` rows of one value.
  void add(uint64_t value, uint64_t count);
  uint64_t rows() const { return rows_; }
  uint64_t bytes() const { return words_.capacity() * sizeof(uint64_t); }
  format::Column finish();

 private:
  std::string name_;
  format::Type type_;
  uint64_t rows_ = 0, first_ = 0;
  std::vector<uint64_t> words_;
};

class TextColumn {
 public:
  explicit TextColumn(std::string_view name) : name_(name) {}
  void add(std::string_view text) { add(text, 1); }
  void add(std::string_view text, uint64_t count);
  uint64_t rows() const { return rows_; }
  uint64_t bytes() const { return offsets_.capacity() * sizeof(uint64_t) + bytes_.capacity(); }
  format::Column finish();

 private:
  std::string name_;
  uint64_t rows_ = 0;
  std::string bytes_;  // of the first row alone while all are equal
  std::vector<uint64_t> offsets_;
};

/// Columns stand in the order in which they were asked for, numbers before texts. All must get the same number of rows.
class TableMaker {
 public:
  explicit TableMaker(std::string_view name) : name_(name) {}
  NumberColumn& u64(std::string_view name) { return numbers_.emplace_back(name, format::Type::kU64); }
  NumberColumn& i64(std::string_view name) { return numbers_.emplace_back(name, format::Type::kI64); }
  NumberColumn& f64(std::string_view name) { return numbers_.emplace_back(name, format::Type::kF64); }
  TextColumn& text(std::string_view name) { return texts_.emplace_back(name); }

  uint64_t rows() const { return numbers_.empty() ? texts_.empty() ? 0 : texts_[0].rows() : numbers_[0].rows(); }
  uint64_t bytes() const;
  /// Empties this.
  format::Table finish();

 private:
  std::string name_;
  std::deque<NumberColumn> numbers_;  // whose addresses stay
  std::deque<TextColumn> texts_;
};

}  // namespace headrace::convert
