#include "collect/scan/state_tables.h"

#include "collect/chunk_rows.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

Status StateTables::wrong(const std::string& what) const {
  return {Code::kCorrupt, path_ + ": " + what + ": the scan cannot go on from it; remove it and begin anew"};
}

using Columns = std::initializer_list<std::pair<const char*, bool>>;

Status StateTables::check(const format::Table& table, Columns columns) const {
  for (const auto& [name, is_text] : columns) {
    const format::Column* one = table.find(name);
    const bool fits =
        one != nullptr && one->type != format::Type::kF64 && (one->type == format::Type::kText) == is_text;
    if (!fits) return wrong("table '" + table.name + "' has no proper column '" + name + "'");
  }
  return {};
}

Result<format::Table> StateTables::table(const char* name, Columns columns) {
  auto found = reader_.table(name);
  if (!found.ok()) return wrong(found.message());
  HEADRACE_TRY(check(*found, columns));
  return found;
}

Status StateTables::each(const char* name, Columns columns, const std::function<Status(const format::Table&)>& take) {
  const std::vector<const format::ChunkInfo*> chunks = chunks_of(reader_, name);
  if (chunks.empty()) return wrong(std::string("has no table '") + name + "'");
  for (const format::ChunkInfo* chunk : chunks) {
    const auto rows = rows_of(reader_, *chunk);
    if (!rows.ok()) return wrong(rows.message());
    HEADRACE_TRY(check(*rows, columns));
    HEADRACE_TRY(take(*rows));
  }
  return {};
}

Status add_problems(format::Writer& writer, const std::vector<Problem>& problems) {
  std::vector<std::string_view> path, reason;
  for (const Problem& problem : problems) {
    path.push_back(problem.path);
    reason.push_back(problem.reason);
  }
  format::TableBuilder table("scan_problems");
  table.text("path", std::span<const std::string_view>(path)).text("reason", std::span<const std::string_view>(reason));
  return writer.add(table);
}

Status read_problems(StateTables& tables, std::vector<Problem>& problems) {
  HEADRACE_ASSIGN(const format::Table rows, tables.table("scan_problems", {{"path", true}, {"reason", true}}));
  for (uint64_t row = 0; row < rows.rows && row < kListedProblems; ++row)
    problems.push_back({std::string(rows.find("path")->text(row)), std::string(rows.find("reason")->text(row))});
  return {};
}

}  // namespace headrace::collect
