#include "format/table_filter.h"

#include <cstring>

#include "format/encode.h"

namespace headrace::format {

Table table_of(const TableBuilder& builder) { return TableEncoder(builder).whole(); }

Table TableEncoder::whole() const {
  Table table{.name = table_.name_, .rows = table_.rows_, .columns = {}, .unknown_columns = {}};
  for (const Source& source : table_.columns_) {
    Column column;
    column.name = source.name;
    column.type = source.type;
    column.constant = false;
    column.rows = table_.rows_;
    if (source.type == Type::kText) {
      column.offsets.push_back(0);
      for (size_t row = 0; row < table_.rows_; ++row) {
        column.bytes += text_at(source, row);
        column.offsets.push_back(column.bytes.size());
      }
    } else {
      column.words = std::make_shared<uint64_t[]>(table_.rows_ + 1);
      for (size_t row = 0; row < table_.rows_; ++row) {
        const char* at = static_cast<const char*>(source.values) + row * source.stride;
        if (source.values != nullptr)
          std::memcpy(&column.words[row], at, sizeof(uint64_t));
        else
          column.words[row] = source.constant;
      }
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

TableCopy::TableCopy(const Table& table) : builder_(table.name) {
  words_.reserve(table.columns.size());
  texts_.reserve(table.columns.size());
  for (const Column& column : table.columns) {
    if (column.type == Type::kText) {
      std::vector<std::string_view>& texts = texts_.emplace_back();
      for (uint64_t row = 0; row < table.rows; ++row) texts.push_back(column.text(row));
      builder_.text(column.name, std::span<const std::string_view>(texts));
      continue;
    }
    const uint64_t* words = column.words.get();
    if (column.constant) words = words_.emplace_back(table.rows, column.bits).data();
    if (column.type == Type::kU64) builder_.u64(column.name, {words, table.rows});
    if (column.type == Type::kI64) builder_.i64(column.name, {reinterpret_cast<const int64_t*>(words), table.rows});
    if (column.type == Type::kF64) builder_.f64(column.name, {reinterpret_cast<const double*>(words), table.rows});
  }
}

}  // namespace headrace::format
