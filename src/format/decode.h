#pragma once
// Turns table payloads into one Table. Internal to format; payloads are hostile.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/columns.h"
#include "format/layout.h"

namespace headrace::format {

class TableAssembler {
 public:
  /// `expected_rows`: of all payloads together, so that columns are allocated once. `memory_limit`: bytes of values.
  TableAssembler(std::string name, uint64_t expected_rows, uint64_t memory_limit);

  /// Appends the rows of one payload. kCorrupt: the payload contradicts itself or earlier ones, nothing is appended.
  /// kLimit: the table would need more memory than allowed; the assembler is of no further use.
  base::Status add(base::Bytes payload, uint32_t rows);

  Table finish();

 private:
  struct Part {  // one column of one payload
    std::string_view name;
    Type type;
    Encoding encoding;
    base::Bytes data;
  };
  struct Growing {
    Column column;
    uint64_t capacity = 0;  // of words
    uint64_t seen = 0;      // number of the last payload that had it
  };
  struct Block {  // a checked block of integers
    uint64_t base = 0;
    uint8_t width = 0;
    const uint8_t* values = nullptr;
  };

  base::Status parse(base::Bytes payload);
  base::Status append_part(const Part& part, size_t position, uint32_t rows);
  base::Result<Growing*> column_for(const Part& part, size_t position);
  base::Status append_numbers(Growing& growing, const Part& part, uint32_t rows);
  base::Status append_plain(Growing& growing, base::Bytes data, uint32_t rows);
  base::Status append_dictionary(Growing& growing, base::Bytes data, uint32_t rows);
  base::Status append_constant(Growing& growing, uint64_t bits, std::string_view text, uint32_t rows);
  base::Status make_dense(Growing& growing, uint64_t more_rows);
  base::Status spend(uint64_t bytes);
  void roll_back(size_t columns);

  /// `any_width`: up to 8, as planes have; otherwise powers of two.
  static base::Result<Block> take_block(base::ByteReader& reader, uint64_t rows, bool any_width = false);
  static void expand(const Block& block, uint64_t rows, uint64_t* to);

  Table table_;
  uint64_t expected_rows_;
  uint64_t memory_left_;
  uint64_t payloads_ = 0;
  std::vector<Part> parts_;
  std::vector<Growing> columns_;
  std::unordered_map<std::string, size_t> positions_;
  std::unordered_set<std::string> unknown_;
  std::vector<uint64_t> scratch_;
};

}  // namespace headrace::format
