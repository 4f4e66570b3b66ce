#include "format/columns.h"

#include <algorithm>

namespace headrace::format {

const Column* Table::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

namespace {

void keep(Column& column, const std::vector<uint64_t>& rows) {
  column.rows = rows.size();
  if (column.constant) return;
  if (column.type != Type::kText) {
    std::shared_ptr<uint64_t[]> words(new uint64_t[rows.size()]);  // the old ones may be somebody else's as well
    for (size_t i = 0; i < rows.size(); ++i) words[i] = column.words[rows[i]];
    column.words = std::move(words);
    return;
  }
  std::string bytes;
  std::vector<uint64_t> offsets = {0};
  for (uint64_t row : rows) {
    bytes += column.text(row);
    offsets.push_back(bytes.size());
  }
  column.bytes = std::move(bytes);
  column.offsets = std::move(offsets);
}

}  // namespace

void keep_rows(Table& table, const std::vector<uint64_t>& rows) {
  for (Column& column : table.columns) keep(column, rows);
  table.rows = rows.size();
}

}  // namespace headrace::format
