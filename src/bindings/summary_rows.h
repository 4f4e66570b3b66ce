#pragma once
// Rows that are collected column by column and become a Frame. One thread at a time.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/frame.h"

namespace headrace::bindings {

/// Stands for null in a column of numbers.
constexpr int64_t kNull = INT64_MIN;

/// The first row says which columns there are; each other one has the same, in the same order.
class SummaryRows {
 public:
  using Number = std::pair<const char*, int64_t>;
  using Text = std::pair<const char*, std::string_view>;

  void add(std::initializer_list<Number> numbers, std::initializer_list<Text> texts) {
    size_t place = 0;
    for (const auto& [name, value] : numbers) {
      if (place == numbers_.size()) numbers_.emplace_back(name, std::vector<uint64_t>());
      numbers_[place++].second.push_back(static_cast<uint64_t>(value));
    }
    place = 0;
    for (const auto& [name, value] : texts) {
      if (place == texts_.size()) texts_.emplace_back(name, TextBuilder());
      texts_[place++].second.add(value);
    }
    ++rows_;
  }

  Frame finish() {
    Frame frame{.name = {}, .rows = rows_};
    for (auto& [name, values] : numbers_) frame.columns.push_back(number_values(name, std::move(values), Kind::kI64));
    for (auto& [name, values] : texts_) frame.columns.push_back(values.finish(name));
    return frame;
  }

 private:
  std::vector<std::pair<const char*, std::vector<uint64_t>>> numbers_;
  std::vector<std::pair<const char*, TextBuilder>> texts_;
  uint64_t rows_ = 0;
};

}  // namespace headrace::bindings
