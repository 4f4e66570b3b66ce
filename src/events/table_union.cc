#include "events/table_union.h"

#include <algorithm>
#include <unordered_set>

#include "base/hash.h"

namespace headrace::events {

using base::Code;
using base::Result;
using format::Column;
using format::Table;
using format::Type;

namespace {

/// One column of the union, with the values of the rows that are kept.
struct Joined {
  std::string name;
  Type type;
  std::vector<uint64_t> words = {};
  std::vector<std::string> texts = {};
};

bool add_columns(const Table& table, std::vector<Joined>& all) {
  if (!table.unknown_columns.empty()) return false;
  for (const Column& column : table.columns) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Joined& one) { return one.name == column.name; });
    if (known == all.end())
      all.push_back({column.name, column.type});
    else if (known->type != column.type)
      return false;
  }
  return true;
}

/// All values of a row in one text that no other row has.
std::string row_text(const std::vector<const Column*>& columns, uint64_t row) {
  std::string text;
  for (const Column* column : columns) {
    const bool is_text = column != nullptr && column->type == Type::kText;
    const uint64_t word = column == nullptr ? 0 : is_text ? column->text(row).size() : column->u64(row);
    text.append(reinterpret_cast<const char*>(&word), sizeof word);
    if (is_text) text += column->text(row);
  }
  return text;
}

/// `backwards`: the last row first.
void add_rows(const Table& table, bool backwards, std::vector<Joined>& all, std::unordered_set<std::string>& seen) {
  std::vector<const Column*> columns;
  for (const Joined& one : all) columns.push_back(table.find(one.name));
  for (uint64_t number = 0; number < table.rows; ++number) {
    const uint64_t row = backwards ? table.rows - 1 - number : number;
    if (!seen.insert(row_text(columns, row)).second) continue;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].type == Type::kText)
        all[i].texts.emplace_back(columns[i] == nullptr ? std::string_view() : columns[i]->text(row));
      else
        all[i].words.push_back(columns[i] == nullptr ? 0 : columns[i]->u64(row));
    }
  }
}

void add_to(format::TableBuilder& builder, const Joined& column) {
  const auto* words = column.words.data();
  const size_t rows = column.words.size();
  if (column.type == Type::kText) builder.text(column.name, column.texts);
  if (column.type == Type::kU64) builder.u64(column.name, column.words);
  if (column.type == Type::kI64) builder.i64(column.name, {reinterpret_cast<const int64_t*>(words), rows});
  if (column.type == Type::kF64) builder.f64(column.name, {reinterpret_cast<const double*>(words), rows});
}

}  // namespace

Result<bool> write_union(const std::vector<format::Reader*>& files, std::string_view table, uint64_t job,
                         format::Writer& writer) {
  std::vector<Table> tables;
  std::vector<Joined> all;
  for (format::Reader* file : files) {
    Result<Table> read = file->table(table, job);
    if (read.code() == Code::kNotFound) continue;
    if (!read.ok()) return read.status();
    if (!add_columns(*read, all)) return false;
    tables.push_back(std::move(*read));
  }
  std::unordered_set<std::string> seen;
  const bool last_counts = table == "job";
  if (last_counts) std::reverse(tables.begin(), tables.end());
  for (const Table& one : tables) add_rows(one, last_counts, all, seen);
  for (Joined& column : all) {
    if (!last_counts) break;
    std::reverse(column.words.begin(), column.words.end());
    std::reverse(column.texts.begin(), column.texts.end());
  }
  format::TableBuilder builder(table);
  for (const Joined& column : all) add_to(builder, column);
  HEADRACE_TRY(writer.add(builder));
  return true;
}

}  // namespace headrace::events
