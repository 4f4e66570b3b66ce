// libFuzzer target: a whole chunk file. See README.md.

#include "check_table.h"
#include "format/reader.h"
#include "heal.h"

using namespace headrace::format;
using namespace headrace::fuzz;

namespace {

void read_everything(Reader& reader) {
  for (const std::string& name : reader.tables()) {
    const auto table = reader.table(name);
    if (!table.ok()) continue;
    check_table(*table);
    const auto again = reader.table(name);
    require(again.ok() && again->rows == table->rows && again->columns.size() == table->columns.size());
  }
  const auto chunks = reader.chunks();
  for (const ChunkInfo& chunk : chunks) {
    const auto payload = reader.payload(chunk);
    require(!payload.ok() || payload->size() == chunk.header.raw_length);
  }
  require(reader.verify().ok());
  uint64_t end = 0;
  for (const Damage& damage : reader.damage()) {
    require(damage.offset >= end || damage.offset > 0);
    require(damage.bytes > 0 && damage.offset + damage.bytes <= reader.size() && !damage.reason.empty());
    end = damage.offset;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::vector<uint8_t> file(data + 1, data + size);
  if (data[0] % 2 == 1) heal_checksums(file);
  const ReadLimits limits{.table_bytes = 32u << 20, .chunks = 10'000};
  auto reader = Reader::open_memory(file, "input", limits);
  if (!reader.ok()) {
    require(!reader.message().empty());
    return 0;
  }
  read_everything(*reader);
  return 0;
}
