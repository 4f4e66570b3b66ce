#include "bindings/columns.h"

#include <algorithm>

#include "base/utf8.h"

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

namespace {

// Valid as a whole does not mean valid by parts: a value may begin inside a character.
bool begin_with_characters(const format::Column& column) {
  return std::all_of(column.offsets.begin(), column.offsets.end() - 1, [&](uint64_t offset) {
    return offset == column.bytes.size() || (column.bytes[offset] & 0xc0) != 0x80;
  });
}

Values repeated_text(const format::Column& column, bool binary) {
  std::string text;
  if (binary)
    text = column.bytes;
  else
    base::append_escaped(column.bytes, text);
  TextBuilder builder(binary);
  builder.reserve(column.rows, column.rows * text.size());
  for (uint64_t row = 0; row < column.rows; ++row) builder.add_valid(text);
  return builder.finish(column.name);
}

}  // namespace

Values text_values(const SharedTable& table, const format::Column& column, bool binary) {
  if (column.constant) return repeated_text(column, binary);
  if (binary || base::is_ascii(column.bytes) || (base::is_utf8(column.bytes) && begin_with_characters(column))) {
    Values values{.name = column.name, .kind = binary ? Kind::kBinary : Kind::kText, .rows = column.rows};
    values.offsets = {table, column.offsets.data()};
    values.bytes = {table, column.bytes.data()};
    return values;
  }
  TextBuilder builder;
  builder.reserve(column.rows, column.bytes.size());
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

const format::Column* text_column(const SharedTable& table, const char* name) {
  const format::Column* column = table->find(name);
  return column && column->type == format::Type::kText ? column : nullptr;
}

}  // namespace headrace::bindings
