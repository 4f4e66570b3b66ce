#include "capture/harvest/stood_for.h"

#include <stdio.h>

#include "capture/spool_layout.h"
#include "format/reader.h"

namespace headrace::capture {

StoodFor stood_for(const std::string& path) {
  StoodFor all;
  auto reader = format::Reader::open(path);
  if (!reader.ok()) return all;
  const auto table = reader->table("job");
  const format::Column* key = table.ok() ? table->find("key") : nullptr;
  const format::Column* value = table.ok() ? table->find("value") : nullptr;
  if (key == nullptr || value == nullptr || key->type != format::Type::kText || value->type != format::Type::kText)
    return all;
  for (uint64_t row = 0; row < table->rows; ++row) {
    unsigned long long ranks = 0, records = 0, bytes = 0;
    if (!key->text(row).starts_with(kStoodForFact)) continue;
    if (sscanf(std::string(value->text(row)).c_str(), "%llu %llu %llu", &ranks, &records, &bytes) != 3) continue;
    all.ranks += ranks;
    all.records += records;
    all.bytes += bytes;
  }
  return all;
}

}  // namespace headrace::capture
