#include "bindings/schema.h"

#include "model/counters.h"

namespace headrace::bindings {
namespace {

std::string_view unit_name(model::Unit unit) {
  switch (unit) {
    case model::Unit::count:
      return "count";
    case model::Unit::bytes:
      return "bytes";
    case model::Unit::ns:
      return "ns";
    case model::Unit::at_ns:
      return "at_ns";
    case model::Unit::flags:
      return "flags";
  }
  return "none";
}

std::string_view merge_name(model::MergeKind kind) {
  switch (kind) {
    case model::MergeKind::kSum:
      return "sum";
    case model::MergeKind::kMax:
      return "max";
    case model::MergeKind::kFirst:
      return "first";
    case model::MergeKind::kLast:
      return "last";
    case model::MergeKind::kBits:
      return "bits";
    case model::MergeKind::kWith:
      return "with";
  }
  return "";
}

struct FlatColumn {
  std::string_view table;
  ColumnInfo info;
};

constexpr FlatColumn kColumns[] = {
#define TABLE(name, doc)
#define COLUMN(table, name, role, unit, doc) {#table, {#name, Role::role, #unit, "", "", doc}},
#include "model/tables.def"
#undef TABLE
#undef COLUMN
};

std::vector<TableInfo> make_tables() {
  std::vector<TableInfo> tables = {
#define TABLE(name, doc) {#name, doc, {}},
#define COLUMN(table, name, role, unit, doc)
#include "model/tables.def"
#undef TABLE
#undef COLUMN
  };
  for (TableInfo& table : tables) {
    for (const FlatColumn& column : kColumns) {
      if (column.table == table.name) table.columns.push_back(column.info);
    }
    if (table.name == "files") {
      for (const ColumnInfo& column : counter_columns()) table.columns.push_back(column);
    }
  }
  return tables;
}

}  // namespace

std::vector<ColumnInfo> counter_columns() {
  std::vector<ColumnInfo> columns;
  for (const model::CounterInfo& counter : model::kCounters) {
    const bool with = counter.merge.kind == model::MergeKind::kWith;
    columns.push_back({counter.name, Role::u64, unit_name(counter.unit), merge_name(counter.merge.kind),
                       with ? model::kCounters[counter.merge.with].name : std::string_view(), counter.doc});
  }
  return columns;
}

const std::vector<TableInfo>& known_tables() {
  static const std::vector<TableInfo> tables = make_tables();
  return tables;
}

const TableInfo* known_table(std::string_view name) {
  for (const TableInfo& table : known_tables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

}  // namespace headrace::bindings
