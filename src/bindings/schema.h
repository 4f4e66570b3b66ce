#pragma once
// What the columns of a job log mean to Python: tables.def and model/counters.def as data.
//
// Constants only; safe in any thread.

#include <cstdint>
#include <string_view>
#include <vector>

namespace headrace::bindings {

enum class Role : uint8_t { id, u64, i64, f64, text, name, list };

struct ColumnInfo {
  std::string_view name;
  Role role;
  std::string_view unit;   // as in tables.def or counters.def
  std::string_view merge;  // rule of a counter; empty for other columns
  std::string_view with;   // the counter that decides when merge is "with"
  std::string_view doc;
};

struct TableInfo {
  std::string_view name;
  std::string_view doc;
  std::vector<ColumnInfo> columns;
};

/// In the order of tables.def.
const std::vector<TableInfo>& known_tables();
/// Null: a table this version does not know.
const TableInfo* known_table(std::string_view name);

/// The counters as columns of `files`, in the order of counters.def.
std::vector<ColumnInfo> counter_columns();

}  // namespace headrace::bindings
