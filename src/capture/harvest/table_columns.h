// What the tables of a job log are built and stored with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/writer.h"

namespace headrace::capture {

template <typename Row>
format::TableBuilder& column(format::TableBuilder& table, std::string_view name, const std::vector<Row>& rows,
                             uint64_t Row::* member) {
  return table.u64(name, rows.empty() ? nullptr : &(rows[0].*member), rows.size(), sizeof(Row));
}

template <typename... Columns>
void clear_all(Columns&... columns) {
  (columns.clear(), ...);
}

template <typename... Columns>
void resize_all(size_t rows, Columns&... columns) {
  (columns.resize(rows), ...);
}

/// Which tables of a set, by bits, were written: one without rows is written once, and only where every table is asked
/// for.
class WrittenTables {
 public:
  /// Whether `table` must be written now; then it counts as written.
  bool due(uint32_t table, bool has_rows, bool every) {
    if (!has_rows && (!every || (written_ & table) != 0)) return false;
    written_ |= table;
    return true;
  }

 private:
  uint32_t written_ = 0;
};

/// Adds a table made of `columns` and empties them. When it fails in the middle, those rows stay that are not in the
/// file, and only they go to the next one.
template <typename... Columns>
base::Status store(format::Writer& writer, const format::TableBuilder& table, Columns&... columns) {
  const base::Status status = writer.add(table);
  const auto stored = static_cast<std::ptrdiff_t>(writer.stored_rows());
  if (status.ok())
    clear_all(columns...);
  else
    (columns.erase(columns.begin(), columns.begin() + stored), ...);
  return status;
}

}  // namespace headrace::capture
