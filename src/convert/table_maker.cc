#include "convert/table_maker.h"

#include <utility>

namespace headrace::convert {

using format::Column;
using format::Type;

void NumberColumn::add(uint64_t value, uint64_t count) {
  if (count == 0) return;
  add(value);
  --count;
  if (!words_.empty()) words_.insert(words_.end(), count, value);
  rows_ += count;
}

Column NumberColumn::finish() {
  Column column;
  column.name = std::move(name_);
  column.type = type_;
  column.rows = rows_;
  column.constant = words_.empty();
  column.bits = first_;
  if (!column.constant) {
    const auto kept = std::make_shared<std::vector<uint64_t>>(std::move(words_));
    column.words = std::shared_ptr<uint64_t[]>(kept, kept->data());
  }
  return column;
}

void TextColumn::add(std::string_view text, uint64_t count) {
  if (count == 0) return;
  if (rows_ == 0) bytes_ = text;
  if (offsets_.empty() && text != bytes_) {
    const std::string first = std::exchange(bytes_, {});
    offsets_.push_back(0);
    for (uint64_t row = 0; row < rows_; ++row) {
      bytes_ += first;
      offsets_.push_back(bytes_.size());
    }
  }
  rows_ += count;
  if (offsets_.empty()) return;
  for (; count > 0; --count) {
    bytes_ += text;
    offsets_.push_back(bytes_.size());
  }
}

Column TextColumn::finish() {
  Column column;
  column.name = std::move(name_);
  column.type = Type::kText;
  column.rows = rows_;
  column.constant = offsets_.empty();
  column.offsets = std::move(offsets_);
  column.bytes = std::move(bytes_);
  return column;
}

uint64_t TableMaker::bytes() const {
  uint64_t sum = 0;
  for (const NumberColumn& column : numbers_) sum += column.bytes();
  for (const TextColumn& column : texts_) sum += column.bytes();
  return sum;
}

format::Table TableMaker::finish() {
  format::Table table;
  table.name = name_;
  table.rows = rows();
  for (NumberColumn& column : numbers_) table.columns.push_back(column.finish());
  for (TextColumn& column : texts_) table.columns.push_back(column.finish());
  return table;
}

}  // namespace headrace::convert
