#include "capture/reduce/join_parts.h"

#include <algorithm>
#include <unordered_set>

#include "base/hash.h"
#include "format/reader.h"
#include "format/table_filter.h"
#include "format/writer.h"

namespace headrace::capture {
namespace {

using base::Result;
using base::Status;

constexpr size_t kLargePart = 256 << 10;

format::WriterOptions options_of(const PartName& name, uint32_t thread) {
  format::WriterOptions options;
  options.job = name.job;
  options.producer = {name.reduction, name.rank, thread};
  return options;
}

/// Columns whose values say which row it is; empty: rows may repeat.
std::vector<const char*> identity_of(const std::string& table) {
  if (table == "names") return {"name"};
  if (table == "mounts") return {"mount"};
  if (table == "modules") return {"module"};
  if (table == "stacks") return {"stack", "depth"};
  if (table == "job") return {"key", "value"};
  return {};
}

void drop_repeated(format::Table& table) {
  std::vector<const format::Column*> identity;
  for (const char* name : identity_of(table.name)) {
    const format::Column* column = table.find(name);
    if (column == nullptr) return;
    identity.push_back(column);
  }
  if (identity.empty()) return;
  std::unordered_set<uint64_t> seen;
  std::vector<uint64_t> rows;
  for (uint64_t row = 0; row < table.rows; ++row) {
    uint64_t id = 0;
    for (const format::Column* column : identity)
      id = base::mix(id, column->type == format::Type::kText ? base::hash_text(column->text(row)) : column->u64(row));
    if (seen.insert(id).second) rows.push_back(row);
  }
  if (rows.size() != table.rows) format::keep_rows(table, rows);
}

}  // namespace

Result<std::vector<uint8_t>> write_part(LogTables& tables, const PartName& name) {
  std::vector<uint8_t> bytes;
  HEADRACE_ASSIGN(format::Writer writer,
                  format::Writer::open(std::make_unique<format::MemorySink>(bytes), options_of(name, 1)));
  HEADRACE_TRY(tables.flush(writer, name.rank == 0));
  HEADRACE_TRY(writer.close());
  return bytes;
}

Result<std::vector<uint8_t>> write_late_part(LogTables& tables, const PartName& name) {
  std::vector<uint8_t> bytes;
  HEADRACE_ASSIGN(format::Writer writer,
                  format::Writer::open(std::make_unique<format::MemorySink>(bytes), options_of(name, 3)));
  HEADRACE_TRY(tables.flush(writer, false));
  HEADRACE_TRY(writer.close());
  return bytes;
}

void PartJoiner::add(std::vector<uint8_t> part) {
  std::vector<uint8_t>& to = part.size() > kLargePart ? large_ : small_;
  if (&to == &small_) ++small_parts_;
  if (to.empty())
    to = std::move(part);
  else
    to.insert(to.end(), part.begin(), part.end());
}

Result<std::vector<uint8_t>> PartJoiner::finish() {
  if (small_parts_ < 2) {
    small_.insert(small_.end(), large_.begin(), large_.end());
    return std::move(small_);
  }
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open_memory(small_, "the ranks' parts of the log"));
  std::vector<std::string> names;
  for (const std::string& name : reader.tables()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  // Processes come last: a log that was cut short has the figures of every process it names.
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name != "processes"; });
  std::vector<uint8_t> bytes;
  HEADRACE_ASSIGN(format::Writer writer,
                  format::Writer::open(std::make_unique<format::MemorySink>(bytes), options_of(name_, 2)));
  for (const std::string& name : names) {
    HEADRACE_ASSIGN(format::Table table, reader.table(name));
    drop_repeated(table);
    HEADRACE_TRY(writer.add(format::TableCopy(table).builder()));
  }
  if (!reader.damage().empty()) {
    return Status(base::Code::kCorrupt, "a rank's part of the log is damaged: " + reader.damage()[0].reason);
  }
  HEADRACE_TRY(writer.close());
  bytes.insert(bytes.end(), large_.begin(), large_.end());
  return bytes;
}

}  // namespace headrace::capture
