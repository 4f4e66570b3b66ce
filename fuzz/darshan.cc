// The reader of Darshan logs: whatever the file holds, reading ends within its memory, and what it gives can be written
// and read back with the same records.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "convert/darshan/convert.h"
#include "convert/darshan/header.h"
#include "convert/darshan/write.h"

namespace {

using namespace headrace;
using TableMap = std::map<std::string, std::shared_ptr<const format::Table>>;

base::Result<std::vector<format::Table>> read(const std::vector<uint8_t>& bytes) {
  const auto source = format::make_memory_source(bytes, "input");
  return convert::darshan::read_log(*source, {256u << 20, 1024});
}

void check(const format::Table& table) {
  for (const format::Column& column : table.columns) {
    if (column.rows != table.rows) __builtin_trap();
    if (column.constant || column.type != format::Type::kText) continue;
    if (column.offsets.size() != table.rows + 1 || column.offsets.back() != column.bytes.size()) __builtin_trap();
  }
}

TableMap by_name(std::vector<format::Table> tables) {
  TableMap map;
  for (format::Table& table : tables) {
    check(table);
    const std::string name = table.name;
    if (!map.emplace(name, std::make_shared<const format::Table>(std::move(table))).second) __builtin_trap();
  }
  return map;
}

uint64_t rows(const TableMap& tables, const std::string& name) {
  const auto found = tables.find(name);
  return found == tables.end() ? 0 : found->second->rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  // Compressed records let few mutations through, so half of the inputs have them plain.
  if (size > 24 && convert::darshan::is_darshan(bytes) && bytes[17] % 2 == 0) bytes[16] = 2;
  auto tables = read(bytes);
  if (!tables.ok()) {
    if (tables.message().empty()) __builtin_trap();
    return 0;
  }
  const TableMap first = by_name(std::move(tables).value());
  const auto written = convert::darshan::write_log([&](const std::string& name) {
    const auto found = first.find(name);
    return found == first.end() ? nullptr : found->second;
  });
  auto again = read(written);
  if (!again.ok()) __builtin_trap();
  const TableMap second = by_name(std::move(again).value());
  for (const auto& [name, table] : first) {
    // Ids that a damaged log has no names of get some.
    const bool same =
        rows(second, name) == table->rows || (name == "darshan_names" && rows(second, name) > table->rows);
    if (name.starts_with("darshan_") && table->rows != 0 && !same) __builtin_trap();
  }
  if (rows(first, "segments") != rows(second, "segments")) __builtin_trap();
  return 0;
}
