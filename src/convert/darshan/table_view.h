#pragma once
// Columns of a table by name; what is missing reads as 0 or empty. Internal to darshan.

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "convert/darshan/write.h"

namespace headrace::convert::darshan {

class NumberView {
 public:
  NumberView() = default;
  explicit NumberView(const format::Column* column) : column_(column) {}
  uint64_t operator[](uint64_t row) const { return column_ == nullptr ? 0 : column_->u64(row); }
  int64_t i64(uint64_t row) const { return static_cast<int64_t>(operator[](row)); }
  double f64(uint64_t row) const { return column_ == nullptr ? 0 : column_->f64(row); }

 private:
  const format::Column* column_ = nullptr;
};

class TextView {
 public:
  TextView() = default;
  explicit TextView(const format::Column* column) : column_(column) {}
  std::string_view operator[](uint64_t row) const {
    return column_ == nullptr ? std::string_view() : column_->text(row);
  }

 private:
  const format::Column* column_ = nullptr;
};

class TableView {
 public:
  TableView(const Tables& tables, const std::string& name) : table_(tables(name)) {}
  explicit operator bool() const { return table_ != nullptr; }
  uint64_t rows() const { return table_ ? table_->rows : 0; }
  NumberView number(std::string_view name) const { return NumberView(find(name, false)); }
  TextView text(std::string_view name) const { return TextView(find(name, true)); }

 private:
  const format::Column* find(std::string_view name, bool text) const {
    const format::Column* column = table_ ? table_->find(name) : nullptr;
    return column != nullptr && (column->type == format::Type::kText) == text ? column : nullptr;
  }
  std::shared_ptr<const format::Table> table_;
};

/// Facts of the job; the last value of a key counts.
class Facts {
 public:
  explicit Facts(const Tables& tables) {
    const TableView job(tables, "job");
    const TextView keys = job.text("key"), values = job.text("value");
    for (uint64_t row = 0; row < job.rows(); ++row) facts_[std::string(keys[row])] = values[row];
  }
  const std::string& text(const std::string& key) const {
    static const std::string kNone;
    const auto found = facts_.find(key);
    return found == facts_.end() ? kNone : found->second;
  }
  int64_t number(const std::string& key) const { return std::strtoll(text(key).c_str(), nullptr, 10); }
  uint64_t unsigned_number(const std::string& key) const { return std::strtoull(text(key).c_str(), nullptr, 10); }

 private:
  std::unordered_map<std::string, std::string> facts_;
};

}  // namespace headrace::convert::darshan
