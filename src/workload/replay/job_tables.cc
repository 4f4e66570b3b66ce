#include "workload/replay/job_tables.h"

#include <algorithm>

#include "model/counters.h"

namespace headrace::workload::replay {

using base::Code;
using base::Result;
using base::Status;
using format::Table;

Result<std::unordered_map<uint64_t, std::string>> read_texts(const Tables& tables) {
  std::unordered_map<uint64_t, std::string> texts;
  auto table = tables("names");
  if (table.code() == Code::kNotFound) return texts;
  if (!table.ok()) return table.status();
  const Field id(*table, "name"), text(*table, "text");
  for (uint64_t row = 0; row < table->rows; ++row) texts.emplace(id.number(row), text.text(row));
  return texts;
}

Status add_facts(const Tables& tables, Recording& to) {
  HEADRACE_ASSIGN(const auto texts, read_texts(tables));
  HEADRACE_ASSIGN(const Table files, tables("files"));
  const Field process(files, "process"), path(files, "path"), final_path(files, "final_path"), kind(files, "kind"),
      layer(files, "layer"), flags(files, "flags"), size(files, "size_at_open"), opened(files, "first_open_at_ns");
  const auto text_of = [&](uint64_t id) {
    const auto found = texts.find(id);
    return found == texts.end() ? std::string() : found->second;
  };
  for (uint64_t row = 0; row < files.rows; ++row) {
    const std::string name = text_of(path.number(row)), what = kind.text(row), where = layer.text(row);
    if (name.empty() || (where != "posix" && where != "stdio")) continue;
    const uint64_t bits = flags.number(row);
    for (const uint64_t whose : {process.number(row), uint64_t{0}}) {
      FileFacts& facts = to.facts[{whose, name}];
      facts.created |= (bits & model::flag::created) != 0;
      facts.truncated |= (bits & model::flag::truncated) != 0;
      facts.append |= (bits & model::flag::append) != 0;
      facts.synchronous |= (bits & model::flag::synchronous) != 0;
      facts.is_file &= what == "file" || what == "directory";
      facts.is_directory |= what == "directory";
      if (const std::string last = text_of(final_path.number(row)); last != name && !last.empty())
        facts.final_path = last;
      const uint64_t at = opened.number(row);
      if ((bits & model::flag::size_known) == 0 || at == 0) continue;
      if (facts.size_known && facts.first_open_ns <= at) continue;
      facts.size_known = true;
      facts.size_at_open = size.number(row);
      facts.first_open_ns = at;
    }
  }
  to.has_log = true;
  return {};
}

}  // namespace headrace::workload::replay
