// libFuzzer target: payloads of one table. See README.md.

#include "base/bytes.h"
#include "check_table.h"
#include "format/decode.h"

using namespace headrace::format;
using namespace headrace::fuzz;

/// Input: {u16 rows, u16 length, payload of that length} as often as it fits.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  headrace::base::ByteReader input({data, size});
  TableAssembler assembler("t", 1000, 32u << 20);
  uint64_t rows = 0;
  while (input.left() > 0) {
    const uint16_t payload_rows = input.u16();
    const uint16_t length = input.u16();
    const auto payload = input.take(std::min<size_t>(length, input.left()));
    if (!input.ok()) break;
    const auto status = assembler.add(payload, payload_rows);
    if (status.code() == headrace::base::Code::kLimit) return 0;
    if (status.ok()) rows += payload_rows;
  }
  const Table table = assembler.finish();
  require(table.rows == rows);
  check_table(table);
  check_round_trip(table);
  return 0;
}
