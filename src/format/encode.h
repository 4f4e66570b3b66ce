#pragma once
// Turns rows of a TableBuilder into table payloads. Internal to format.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "format/table_builder.h"

namespace headrace::format {

class TableEncoder {
 public:
  /// `planes`: integers that differ are stored as planes.
  explicit TableEncoder(const TableBuilder& table, bool planes = false) : table_(table), planes_(planes) {}

  /// One past the last row of a chunk that begins at row `first`: at most `max_rows` rows and about `max_bytes` bytes
  /// before encoding, but at least one row if there is one.
  size_t chunk_end(size_t first, size_t max_rows, size_t max_bytes) const;

  /// Bytes of one row before encoding.
  size_t row_bytes(size_t row) const;

  /// All rows as a reader would give them.
  Table whole() const;

  /// Payload of the rows [first, end).
  std::vector<uint8_t> payload(size_t first, size_t end);

 private:
  using Source = TableBuilder::Source;

  std::string_view text_at(const Source& source, size_t row) const;
  void encode_column(const Source& source, size_t first, size_t end, base::ByteWriter& out);
  void encode_numbers(const Source& source, size_t first, size_t end, base::ByteWriter& out);
  void encode_text(const Source& source, size_t first, size_t end, base::ByteWriter& out);
  bool encode_dictionary(base::ByteWriter& out);

  const TableBuilder& table_;
  const bool planes_;
  std::vector<uint64_t> numbers_;        // scratch of one column
  std::vector<std::string_view> texts_;  // scratch of one column
};

}  // namespace headrace::format
