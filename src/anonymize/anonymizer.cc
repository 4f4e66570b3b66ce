#include "anonymize/anonymizer.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "anonymize/json_list.h"
#include "base/hash.h"

namespace headrace::anonymize {

using base::Code;
using base::Status;
using format::Column;
using format::Table;
using format::Type;

namespace {

/// Every distinct text of a column is worked on once when neighbours are equal, as they mostly are.
template <typename Change>
void change_texts(Column& column, uint64_t rows, Change change) {
  if (column.constant) {
    column.bytes = change(column.bytes);
    return;
  }
  std::string bytes, changed;
  std::vector<uint64_t> offsets = {0};
  offsets.reserve(rows + 1);
  std::string_view last;
  for (uint64_t row = 0; row < rows; ++row) {
    const std::string_view text = column.text(row);
    if (row == 0 || text != last) changed = change(text);
    last = text;
    bytes += changed;
    offsets.push_back(bytes.size());
  }
  column.bytes = std::move(bytes);
  column.offsets = std::move(offsets);
}

template <typename Change>
void change_numbers(Column& column, uint64_t rows, Change change) {
  if (column.constant) {
    column.bits = change(column.bits);
    return;
  }
  const auto words = std::make_shared<uint64_t[]>(rows + 1);  // the old ones may be shared
  for (uint64_t row = 0; row < rows; ++row) words[row] = change(column.words[row]);
  column.words = words;
}

Column texts_column(const std::string& name, const std::vector<std::string>& texts) {
  Column column;
  column.name = name;
  column.type = Type::kText;
  column.constant = false;
  column.rows = texts.size();
  column.offsets.push_back(0);
  for (const std::string& text : texts) {
    column.bytes += text;
    column.offsets.push_back(column.bytes.size());
  }
  return column;
}

std::string list_text(const Names& names, std::string_view text) {
  std::string result;
  while (true) {
    const size_t end = text.find('\0');
    result += names.path(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += '\0';
    text.remove_prefix(end + 1);
  }
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), digit);
}

bool is_version(std::string_view text) {
  const auto fits = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '+'; };
  return !text.empty() && text.size() <= 40 && text[0] >= '0' && text[0] <= '9' &&
         std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

base::Result<base::SipKey> random_key() {
  base::SipKey key;
  if (getrandom(key.data(), key.size(), 0) == static_cast<ssize_t>(key.size())) return key;
  return Status(Code::kIo, std::string("the system gives no random numbers for a key: ") + strerror(errno));
}

std::string key_text(const base::SipKey& key) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : key) (text += kHex[byte >> 4]) += kHex[byte & 15];
  return text;
}

base::Result<base::SipKey> parse_key(const std::string& text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  base::SipKey key;
  const Status mistake(Code::kInvalid, "the key of an anonymous log is not 32 hexadecimal digits");
  if (text.size() != 2 * key.size()) return mistake;
  for (size_t i = 0; i < key.size(); ++i) {
    const size_t high = kHex.find(text[2 * i]), low = kHex.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return mistake;
    key[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return key;
}

bool Anonymizer::apply(Table& table) {
  if (!is_known_table(table.name)) {
    left_out_.insert("table '" + table.name + "'");
    return false;
  }
  for (const std::string& column : table.unknown_columns) {
    left_out_.insert("column '" + column + "' of table '" + table.name + "'");
  }
  table.unknown_columns.clear();
  std::erase_if(table.columns, [&](const Column& column) {
    if (treatment_of(table.name, column.name) != Treatment::kDrop) return false;
    left_out_.insert("column '" + column.name + "' of table '" + table.name + "'");
    return true;
  });
  if (table.name == "job") {
    apply_facts(table);
  } else if (table.name == "names") {
    apply_names(table);
  } else {
    for (Column& column : table.columns) apply_column(column, table.rows, treatment_of(table.name, column.name));
  }
  return true;
}

void Anonymizer::apply_facts(Table& table) {
  const Column* keys = table.find("key");
  const Column* values = table.find("value");
  std::vector<std::string> kept_keys, kept_values;
  const bool usable = keys && values && keys->type == Type::kText && values->type == Type::kText;
  for (uint64_t row = 0; usable && row < table.rows; ++row) {
    Fact fact = anonymous_fact(names_, keys->text(row), values->text(row));
    if (fact.kept) {
      kept_keys.emplace_back(keys->text(row));
      kept_values.push_back(std::move(fact.value));
    } else if (keys->text(row) != "user_id") {  // its absence is what was asked for
      left_out_.insert("fact '" + std::string(keys->text(row)) + "'");
    }
  }
  table.rows = kept_keys.size();
  table.columns = {texts_column("key", kept_keys), texts_column("value", kept_values)};
}

void Anonymizer::apply_names(Table& table) {
  Column* texts = nullptr;
  Column* ids = nullptr;
  for (Column& column : table.columns) {
    if (column.name == "text" && column.type == Type::kText) texts = &column;
    if (column.name == "name" && column.type != Type::kText) ids = &column;
  }
  if (!texts || !ids) {  // one without the other names nothing
    table.columns.clear();
    table.rows = 0;
    return;
  }
  change_texts(*texts, table.rows, [&](std::string_view text) { return names_.path(text); });
  for (uint64_t row = 0; row < table.rows; ++row) name_ids_[ids->u64(row)] = base::hash_text(texts->text(row));
  change_numbers(*ids, table.rows, [&](uint64_t id) { return name_ids_[id]; });
}

void Anonymizer::apply_column(Column& column, uint64_t rows, Treatment treatment) {
  if (column.type == Type::kText) {
    change_texts(column, rows, [&](std::string_view value) { return text(value, treatment); });
  } else if (treatment != Treatment::kNumber) {
    change_numbers(column, rows, [&](uint64_t value) { return number(value, treatment); });
  }
}

std::string Anonymizer::text(std::string_view text, Treatment treatment) const {
  switch (treatment) {
    case Treatment::kSentence:
      return names_.sentence(text);
    case Treatment::kIdentifier:
      return Names::is_identifier(text) ? std::string(text) : names_.path(text);
    case Treatment::kMountType:
      return names_.mount_type(text);
    case Treatment::kMountSource:
      return names_.mount_source(text);
    case Treatment::kMountOptions:
      return names_.mount_options(text);
    case Treatment::kRanks:
      return Names::is_list_of_ranks(text) ? std::string(text) : names_.path(text);
    case Treatment::kPropertyKey:
      return names_.property_key(text);
    case Treatment::kPropertyValue:
      return names_.property_value(text);
    case Treatment::kList:
      return list_text(names_, text);
    default:
      return names_.path(text);
  }
}

uint64_t Anonymizer::number(uint64_t value, Treatment treatment) const {
  if (treatment == Treatment::kName) {
    const auto known = name_ids_.find(value);
    if (known != name_ids_.end()) return known->second;
  }
  return names_.id(value);  // also of numbers where a text belongs: they are none of this version's
}

Fact anonymous_fact(const Names& names, std::string_view key, std::string_view value) {
  static constexpr std::string_view kNumbers[] = {"format_version", "start_utc_ns", "end_utc_ns", "exit_status",
                                                  "memory",         "file_sizes",   "anonymized", "darshan_processes",
                                                  "darshan_partial"};
  static constexpr std::string_view kPaths[] = {"host",          "working_directory", "spool_directory", "job_identity",
                                                "scheduler_job", "darshan_job_id",    "emulate"};
  static constexpr std::string_view kSentences[] = {"complete", "spool_refused", "scheduler", "capture",
                                                    "trace_dropped"};
  static constexpr std::string_view kLists[] = {"command", "include", "exclude"};
  const auto is_in = [&](const auto& keys) {
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
  };
  // What each of several launchers says: part.ID, part.ID.exit_status and part.ID.end_utc_ns. The id is random.
  if (key.starts_with("part.")) {
    const bool number = key.ends_with(".exit_status") || key.ends_with(".end_utc_ns");
    if (number && is_whole_number(value)) return {true, std::string(value)};
    return {true, number ? names.path(value) : names.sentence(value)};
  }
  if (key.starts_with("reduction.")) return {true, names.sentence(value)};  // the id is random here too
  // Of ranks that representatives stand for: three numbers. The id is random.
  if (key.starts_with("stood_for.")) {
    const bool numbers = value.find_first_not_of("0123456789 ") == std::string_view::npos;
    return {true, numbers ? std::string(value) : names.path(value)};
  }
  if (is_in(kNumbers)) return {true, is_whole_number(value) ? std::string(value) : names.path(value)};
  if (key == "headrace_version") return {true, is_version(value) ? std::string(value) : names.path(value)};
  if (is_in(kPaths)) return {true, names.path(value)};
  if (is_in(kSentences)) return {true, names.sentence(value)};
  if (!is_in(kLists)) return {};
  auto items = parse_list(value);
  if (!items) return {true, names.path(value)};
  for (std::string& item : *items) item = names.path(item);
  return {true, list_of(*items)};
}

}  // namespace headrace::anonymize
