#include "bindings/decode.h"

#include <algorithm>
#include <cstring>

#include "bindings/columns.h"

namespace headrace::bindings {
namespace {

bool is_text(Role role) { return role == Role::text || role == Role::list; }

// Items end at NUL bytes; a rest without one is an item too.
Values lists(const format::Column& column) {
  std::vector<uint64_t> starts{0};
  TextBuilder items;
  uint64_t count = 0;
  for (uint64_t row = 0; row < column.rows; ++row) {
    std::string_view rest = column.text(row);
    for (; !rest.empty(); ++count) {
      const size_t end = std::min(rest.find('\0'), rest.size());
      items.add(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    starts.push_back(count);
  }
  Values values{.name = column.name, .kind = Kind::kTextList, .rows = column.rows};
  auto owner = std::make_shared<std::vector<uint64_t>>(std::move(starts));
  values.offsets = {owner, owner->data()};
  values.items = std::make_shared<Values>(items.finish("item"));
  return values;
}

Values missing(const ColumnInfo& info, uint64_t rows) {
  const std::string name(info.name);
  format::Column empty;
  empty.name = name;
  empty.type = format::Type::kText;
  empty.rows = rows;
  if (info.role == Role::list) return lists(empty);
  if (info.role == Role::text || info.role == Role::name) return text_values(nullptr, empty, false);
  const Kind kind = info.role == Role::i64 ? Kind::kI64 : info.role == Role::f64 ? Kind::kF64 : Kind::kU64;
  return zero_values(name, rows, kind);
}

// The texts of a column of ids. Most files keep their name, so final_path often has the ids of path.
class Resolver {
 public:
  explicit Resolver(const Names& names) : names_(names) {}

  Values resolve(const Values& ids) {
    if (!ids_.words || std::memcmp(ids.words.get(), ids_.words.get(), ids.rows * sizeof(uint64_t)) != 0) {
      ids_ = ids;
      texts_ = names_.resolve(ids.name, ids);
    }
    Values texts = texts_;
    texts.name = ids.name;
    return texts;
  }

 private:
  const Names& names_;
  Values ids_, texts_;
};

base::Result<Values> known_column(const SharedTable& table, const format::Column& column, const ColumnInfo& info,
                                  Resolver& names) {
  if ((column.type == format::Type::kText) != is_text(info.role)) {
    return base::Status(base::Code::kCorrupt, "table '" + table->name + "': column '" + column.name + "' holds " +
                                                  (is_text(info.role) ? "numbers" : "text") +
                                                  ", which no version of Headrace writes there");
  }
  if (info.role == Role::list) return lists(column);
  if (info.role == Role::text) return text_values(table, column, false);
  Values values = numbers(table, &column, table->rows);
  if (info.role == Role::name) return names.resolve(values);
  return values;
}

}  // namespace

base::Result<Frame> decode(const SharedTable& table, const TableInfo* info, const Names& names) {
  Resolver resolver(names);
  Frame frame;
  frame.name = table ? table->name : std::string(info ? info->name : "");
  frame.rows = table ? table->rows : 0;
  for (const ColumnInfo& known : info ? info->columns : std::vector<ColumnInfo>()) {
    const format::Column* column = table ? table->find(known.name) : nullptr;
    if (!column) {
      frame.columns.push_back(missing(known, frame.rows));
      continue;
    }
    HEADRACE_ASSIGN(Values values, known_column(table, *column, known, resolver));
    frame.columns.push_back(std::move(values));
  }
  if (!table) return frame;
  for (const format::Column& column : table->columns) {  // by reference: text shares the column's memory
    if (frame.find(column.name)) continue;
    const bool text = column.type == format::Type::kText;
    frame.columns.push_back(text ? text_values(table, column, false) : numbers(table, &column, table->rows));
  }
  return frame;
}

Frame decode_raw(const SharedTable& table) {
  Frame frame{.name = table->name, .rows = table->rows};
  for (const format::Column& column : table->columns) {
    const bool text = column.type == format::Type::kText;
    frame.columns.push_back(text ? text_values(table, column, true) : numbers(table, &column, table->rows));
  }
  return frame;
}

}  // namespace headrace::bindings
