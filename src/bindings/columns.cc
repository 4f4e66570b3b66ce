#include "bindings/columns.h"

#include <algorithm>

#include "bindings/utf8.h"

namespace headrace::bindings {
namespace {

Kind kind_of(format::Type type) {
  switch (type) {
    case format::Type::kI64:
      return Kind::kI64;
    case format::Type::kF64:
      return Kind::kF64;
    case format::Type::kText:
      return Kind::kText;
    case format::Type::kU64:
      break;
  }
  return Kind::kU64;
}

}  // namespace

Values text_values(const SharedTable& table, const format::Column& column, bool binary) {
  if (!column.constant && (binary || is_utf8(column.bytes))) {
    // Valid as a whole does not mean valid by parts: a value may begin inside a character.
    const bool whole = binary || std::all_of(column.offsets.begin(), column.offsets.end() - 1, [&](uint64_t offset) {
                         return offset == column.bytes.size() || (column.bytes[offset] & 0xc0) != 0x80;
                       });
    if (whole) {
      Values values{.name = column.name, .kind = binary ? Kind::kBinary : Kind::kText, .rows = column.rows};
      values.offsets = {table, column.offsets.data()};
      values.bytes = {table, column.bytes.data()};
      return values;
    }
  }
  TextBuilder builder(binary);
  builder.reserve(column.rows, column.constant ? column.rows * column.bytes.size() : column.bytes.size());
  for (uint64_t row = 0; row < column.rows; ++row) builder.add(column.text(row));
  return builder.finish(column.name);
}

Values numbers(const SharedTable& table, const format::Column* column, uint64_t rows) {
  if (!column || column->type == format::Type::kText) return zero_values(column ? column->name : "", rows);
  const Kind kind = kind_of(column->type);
  if (column->constant && column->bits == 0) return zero_values(column->name, rows, kind);
  if (column->constant) return number_values(column->name, std::vector<uint64_t>(rows, column->bits), kind);
  return {.name = column->name, .kind = kind, .rows = rows, .words = {table, column->words.get()}};
}

}  // namespace headrace::bindings
