#include <algorithm>
#include <charconv>
#include <map>

#include "collect/scan/state_tables.h"

namespace headrace::collect {

using base::Result;
using base::Status;

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : std::string(1, '\0')) + text;
  return all;
}

std::vector<std::string> parted(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\0', at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

Facts facts_of(const ScanState& state) {
  const auto number = [](auto value) { return std::to_string(value); };
  Facts facts = {{"format_version", "1"},
                 {"headrace_version", HEADRACE_VERSION},
                 {"root", joined(state.settings.roots)},
                 {"file_system", state.settings.file_system},
                 {"host", state.host},
                 {"start_utc_ns", number(state.start_utc_ns)},
                 {"end_utc_ns", number(state.end_utc_ns)}};
#define HEADRACE_FIELD(name) facts.emplace_back(#name, number(state.sums.totals.name));
  HEADRACE_SCAN_TOTALS(HEADRACE_FIELD)
#undef HEADRACE_FIELD
  facts.emplace_back("unlisted_problems", number(state.unlisted_problems));
  facts.emplace_back("complete", state.complete());
  if (state.done) return facts;
  facts.emplace_back("links", number(state.link_bytes));
  facts.emplace_back("rows", number(state.row_bytes));
  facts.emplace_back("row_count", number(state.rows));
  facts.emplace_back("keeps_rows", number(state.settings.rows ? 1 : 0));
  facts.emplace_back("cross_mounts", number(state.settings.cross_mounts ? 1 : 0));
  facts.emplace_back("rules", text_of(state.settings.rules));
  return facts;
}

/// The facts by key, of which the last one counts.
class FactReader {
 public:
  FactReader(const StateTables& tables, const format::Table& facts) : tables_(tables) {
    for (uint64_t row = 0; row < facts.rows; ++row)
      facts_[std::string(facts.find("key")->text(row))] = facts.find("value")->text(row);
  }
  const std::string& text(const std::string& key) { return facts_[key]; }
  Status count(const std::string& key, int64_t* to);
  Status count(const std::string& key, uint64_t* to);

 private:
  const StateTables& tables_;
  std::map<std::string, std::string> facts_;
};

Status FactReader::count(const std::string& key, int64_t* to) {
  const std::string& text = facts_[key];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *to);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole && *to >= 0 ? Status() : tables_.wrong("its fact '" + key + "' is no count");
}

Status FactReader::count(const std::string& key, uint64_t* to) {
  int64_t found = 0;
  HEADRACE_TRY(count(key, &found));
  *to = static_cast<uint64_t>(found);
  return {};
}

}  // namespace

Status add_facts(format::Writer& writer, const ScanState& state) {
  std::vector<std::string> keys, values;
  for (auto& [key, value] : facts_of(state)) {
    keys.push_back(key);
    values.push_back(value);
  }
  format::TableBuilder table("scan");
  table.text("key", std::span<const std::string>(keys)).text("value", std::span<const std::string>(values));
  return writer.add(table);
}

Status read_facts(StateTables& tables, ScanState& state) {
  HEADRACE_ASSIGN(const format::Table rows, tables.table("scan", {{"key", true}, {"value", true}}));
  FactReader facts(tables, rows);
  if (facts.text("format_version") != "1") return tables.wrong("another version of Headrace wrote it");
  state.settings.roots = parted(facts.text("root"));
  for (const std::string& root : state.settings.roots)
    if (!root.starts_with('/')) return tables.wrong("its root is not absolute");
  state.settings.file_system = facts.text("file_system");
  state.host = facts.text("host");
  HEADRACE_TRY(facts.count("start_utc_ns", &state.start_utc_ns));
#define HEADRACE_FIELD(name) HEADRACE_TRY(facts.count(#name, &state.sums.totals.name));
  HEADRACE_SCAN_TOTALS(HEADRACE_FIELD)
#undef HEADRACE_FIELD
  HEADRACE_TRY(facts.count("unlisted_problems", &state.unlisted_problems));
  HEADRACE_TRY(facts.count("links", &state.link_bytes));
  HEADRACE_TRY(facts.count("rows", &state.row_bytes));
  HEADRACE_TRY(facts.count("row_count", &state.rows));
  state.settings.rows = facts.text("keeps_rows") == "1";
  state.settings.cross_mounts = facts.text("cross_mounts") == "1";
  auto rules = rules_of(facts.text("rules"));
  if (!rules.ok()) return tables.wrong(rules.message());
  state.settings.rules = std::move(*rules);
  return {};
}

}  // namespace headrace::collect
