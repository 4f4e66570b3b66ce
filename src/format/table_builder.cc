#include "format/table_builder.h"

#include "format/chunk.h"
#include "format/layout.h"

namespace headrace::format {

using base::Code;
using base::Status;

TableBuilder& TableBuilder::add(Source source, size_t rows) {
  if (!mistake_.ok()) return *this;
  const auto refuse = [&](const std::string& why) {
    mistake_ = Status(Code::kInvalid, "table '" + name_ + "', column '" + source.name + "': " + why);
  };
  if (!good_name(name_, kNameSize)) {
    refuse("a table name is 1 to 16 bytes of printable ASCII without spaces");
  } else if (!good_name(source.name, kMaxColumnName)) {
    refuse("a column name is 1 to 255 bytes of printable ASCII without spaces");
  } else if (columns_.size() == kMaxColumns) {
    refuse("a table has at most 4096 columns");
  } else if (!columns_.empty() && rows != rows_) {
    refuse("has " + std::to_string(rows) + " rows where the columns before it have " + std::to_string(rows_));
  }
  for (const Source& other : columns_) {
    if (other.name == source.name) refuse("is there twice");
  }
  rows_ = rows;
  columns_.push_back(std::move(source));
  return *this;
}

TableBuilder& TableBuilder::u64(std::string_view name, std::span<const uint64_t> values) {
  return u64(name, values.data(), values.size(), sizeof(uint64_t));
}

TableBuilder& TableBuilder::u64(std::string_view name, const uint64_t* first, size_t rows, size_t stride) {
  return add({.name = std::string(name), .type = Type::kU64, .values = first, .stride = stride}, rows);
}

TableBuilder& TableBuilder::constant_u64(std::string_view name, uint64_t value, size_t rows) {
  return add({.name = std::string(name), .type = Type::kU64, .values = nullptr, .stride = 0, .constant = value}, rows);
}

TableBuilder& TableBuilder::i64(std::string_view name, std::span<const int64_t> values) {
  return add({.name = std::string(name), .type = Type::kI64, .values = values.data(), .stride = sizeof(int64_t)},
             values.size());
}

TableBuilder& TableBuilder::f64(std::string_view name, std::span<const double> values) {
  return add({.name = std::string(name), .type = Type::kF64, .values = values.data(), .stride = sizeof(double)},
             values.size());
}

TableBuilder& TableBuilder::text(std::string_view name, std::span<const std::string_view> values) {
  return add({.name = std::string(name), .type = Type::kText, .values = values.data(), .stride = sizeof(values[0])},
             values.size());
}

TableBuilder& TableBuilder::text(std::string_view name, std::span<const std::string> values) {
  return add({.name = std::string(name),
              .type = Type::kText,
              .values = values.data(),
              .stride = sizeof(values[0]),
              .owned_strings = true},
             values.size());
}

TableBuilder& TableBuilder::time_range(uint64_t begin_at_ns, uint64_t end_at_ns) {
  begin_at_ns_ = begin_at_ns;
  end_at_ns_ = end_at_ns;
  return *this;
}

TableBuilder& TableBuilder::version(uint16_t version) {
  version_ = version;
  return *this;
}

}  // namespace headrace::format
