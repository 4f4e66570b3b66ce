#pragma once
// What must hold for every table that any decoder gives, checked by reading all of it. Aborts otherwise.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "format/columns.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Touches every value, so that a sanitizer sees a buffer that is too short.
inline void check_table(const format::Table& table) {
  uint64_t sum = 0;
  for (const format::Column& column : table.columns) {
    require(column.rows == table.rows);
    require(table.find(column.name) == &column);
    if (column.type != format::Type::kText) {
      for (uint64_t row = 0; row < (column.constant ? 1 : column.rows); ++row) sum += column.u64(row);
      continue;
    }
    if (column.constant) continue;
    require(column.offsets.size() == column.rows + 1 && column.offsets[0] == 0);
    require(column.offsets.back() == column.bytes.size());
    for (uint64_t row = 0; row < column.rows; ++row) {
      require(column.offsets[row] <= column.offsets[row + 1]);
      for (const char c : column.text(row)) sum += static_cast<uint8_t>(c);
    }
  }
  asm volatile("" : : "r"(sum));  // the compiler may not leave the reading out
}

inline bool same_values(const format::Column& a, const format::Column& b) {
  if (a.name != b.name || a.type != b.type || a.rows != b.rows) return false;
  for (uint64_t row = 0; row < a.rows; ++row) {
    if (a.type == format::Type::kText ? a.text(row) != b.text(row) : a.u64(row) != b.u64(row)) return false;
  }
  return true;
}

/// What was decoded must survive being written and read.
inline void check_round_trip(const format::Table& table) {
  if (table.columns.empty() || table.rows > 500 || table.columns.size() > 200) return;
  format::TableBuilder builder("again");
  std::vector<std::vector<uint64_t>> numbers(table.columns.size());
  std::vector<std::vector<std::string_view>> texts(table.columns.size());
  uint64_t text_bytes = 0;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const format::Column& column = table.columns[i];
    for (uint64_t row = 0; row < table.rows; ++row) {
      if (column.type == format::Type::kText) {
        texts[i].push_back(column.text(row));
        text_bytes += texts[i].back().size();
      } else {
        numbers[i].push_back(column.u64(row));
      }
    }
    const auto* bits = numbers[i].data();
    switch (column.type) {
      case format::Type::kU64:
        builder.u64(column.name, numbers[i]);
        break;
      case format::Type::kI64:
        builder.i64(column.name, {reinterpret_cast<const int64_t*>(bits), table.rows});
        break;
      case format::Type::kF64:
        builder.f64(column.name, {reinterpret_cast<const double*>(bits), table.rows});
        break;
      case format::Type::kText:
        builder.text(column.name, texts[i]);
        break;
    }
  }
  if (text_bytes > 1 << 20) return;
  for (const bool planes : {false, true}) {
    std::vector<uint8_t> bytes;
    auto writer =
        format::Writer::open(std::make_unique<format::MemorySink>(bytes), {.chunk_rows = 7, .planes = planes});
    require(writer.ok() && writer->add(builder).ok() && writer->close().ok());
    auto reader = format::Reader::open_memory(bytes);
    require(reader.ok());
    auto again = reader->table("again");
    require(again.ok() && again->columns.size() == table.columns.size() && reader->damage().empty());
    for (size_t i = 0; i < table.columns.size(); ++i) require(same_values(table.columns[i], again->columns[i]));
  }
}

}  // namespace headrace::fuzz
