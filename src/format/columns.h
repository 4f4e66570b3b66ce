#pragma once
// Decoded tables: what Reader::table() returns. Plain data; reading it from several threads is safe.

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::format {

/// Logical types. The number is the one in the file.
enum class Type : uint8_t {
  kU64 = 1,
  kI64 = 2,
  kF64 = 3,
  kText = 4,  // arbitrary bytes, by convention UTF-8
};

/// One column of `rows` values, either constant (no storage a row) or dense.
///
///   type             constant          dense
///   kU64 kI64 kF64   `bits`            words[0 .. rows): the value, two's complement or IEEE 754 bits
///   kText            `bytes`           row r is bytes[offsets[r] .. offsets[r + 1]); offsets has rows + 1 entries,
///   offsets[0] = 0
///
/// `words` may be shared: a caller that needs the values longer than the Table keeps a copy of the pointer. The dense
/// layouts are Arrow's uint64/int64/double and large_binary buffers. A constant column of zeros may be mapped by the
/// caller to one shared buffer.
struct Column {
  std::string name;
  Type type = Type::kU64;
  bool constant = true;
  uint64_t rows = 0;
  uint64_t bits = 0;
  std::shared_ptr<uint64_t[]> words;
  std::vector<uint64_t> offsets;
  std::string bytes;

  uint64_t u64(uint64_t row) const { return constant ? bits : words[row]; }
  int64_t i64(uint64_t row) const { return static_cast<int64_t>(u64(row)); }
  double f64(uint64_t row) const { return std::bit_cast<double>(u64(row)); }
  std::string_view text(uint64_t row) const {
    if (constant) return bytes;
    return std::string_view(bytes).substr(offsets[row], offsets[row + 1] - offsets[row]);
  }
};

/// All chunks of one table, concatenated. A column that some chunks lack reads 0 (or empty text) in their rows.
struct Table {
  std::string name;
  uint64_t rows = 0;
  std::vector<Column> columns;  // in the order in which the file first names them
  std::vector<std::string>
      unknown_columns;  // of a type or encoding newer than this reader: left out, copy the chunk to keep them

  /// Null when there is no such column.
  const Column* find(std::string_view column) const;
};

/// Leaves the given rows of a table, in the order given.
void keep_rows(Table& table, const std::vector<uint64_t>& rows);

}  // namespace headrace::format
