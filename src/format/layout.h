#pragma once
// What the bytes of a table payload mean, shared by encoder and decoder. Grammar: docs/formats/chunk-file.md.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::format {

inline constexpr size_t kMaxColumns = 4096;
inline constexpr size_t kMaxColumnName = 255;
inline constexpr uint32_t kMaxDictionary = 1u << 20;  // distinct texts of one column of a chunk

/// How a column's values are stored. Numbers are those in the file.
enum class Encoding : uint8_t {
  kFrame = 1,       // u64, i64, f64 bits: one block of integers
  kSplit = 2,       // f64: all first bytes, then all second bytes …
  kPlain = 3,       // text: block of lengths, then the bytes
  kDictionary = 4,  // text: distinct values, then a block of indices
  kPlanes = 5,      // u64, i64: a block whose numbers stand byte by byte
};

/// A block of integers: u8 width (0, 1, 2, 4 or 8), u64 base, then rows × width bytes; value = base + stored number.
/// Width 0 stores nothing: every row is the base.
/// Planes have the same head, any width up to 8, and the first byte of every number, then the second bytes …
inline constexpr size_t kBlockHead = 9;

/// Names go into file names, SQL and terminals unquoted: printable ASCII without spaces.
constexpr bool good_name(std::string_view name, size_t longest) {
  if (name.empty() || name.size() > longest) return false;
  for (const char c : name) {
    if (c <= ' ' || c >= 0x7f) return false;
  }
  return true;
}

}  // namespace headrace::format
