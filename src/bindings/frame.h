#pragma once
// Decoded columns in Arrow's memory layout: what Python tables are made of.
//
// Plain data whose buffers are shared and never change: reading is safe in any thread, and a column outlives the log
// it came from.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::bindings {

enum class Kind : uint8_t { kU64, kI64, kF64, kText, kBinary, kTextList };

/// `rows` values.
///   kU64 kI64 kF64   words[row]; never null, also when `zero` says that every value is 0
///   kText kBinary    bytes[offsets[row] .. offsets[row + 1]); kText is valid UTF-8
///   kTextList        items[offsets[row] .. offsets[row + 1])
struct Values {
  std::string name;
  Kind kind = Kind::kU64;
  uint64_t rows = 0;
  bool zero = false;
  std::shared_ptr<const uint64_t[]> words = {};
  std::shared_ptr<const uint64_t[]> offsets = {};
  std::shared_ptr<const char[]> bytes = {};
  std::shared_ptr<const Values> items = {};

  std::string_view text(uint64_t row) const {
    return {bytes.get() + offsets[row], static_cast<size_t>(offsets[row + 1] - offsets[row])};
  }
};

struct Frame {
  std::string name;  // the table it came from: gives columns their units and documentation
  uint64_t rows = 0;
  std::vector<Values> columns = {};
  /// Of a frame that merges file records: the records behind each row, rows[r] = records[starts[r] .. starts[r + 1]).
  std::vector<uint64_t> record_starts = {}, records = {};
  bool topmost = false;  // the records are those of topmost.h

  /// Null when there is no such column.
  const Values* find(std::string_view column) const;
  /// The number at `row`; 0 when there is no such column.
  uint64_t number(std::string_view column, uint64_t row) const;
};

/// At least `rows` zeros, the same ones for all that ask: read-only pages that take no memory.
std::shared_ptr<const uint64_t[]> zeros(uint64_t rows);

Values number_values(std::string name, std::vector<uint64_t> words, Kind kind = Kind::kU64);
Values zero_values(std::string name, uint64_t rows, Kind kind = Kind::kU64);

/// Collects text row by row; invalid UTF-8 is escaped unless `binary`.
class TextBuilder {
 public:
  explicit TextBuilder(bool binary = false) : binary_(binary) { offsets_.push_back(0); }
  void reserve(uint64_t rows, uint64_t bytes);
  void add(std::string_view text);
  /// For text known to be valid UTF-8.
  void add_valid(std::string_view text) {
    bytes_.append(text);
    offsets_.push_back(bytes_.size());
  }
  Values finish(std::string name);

 private:
  bool binary_;
  std::vector<uint64_t> offsets_;
  std::string bytes_;
};

}  // namespace headrace::bindings
