#include "bindings/write_tables.h"

#include <nanobind/stl/string.h>

#include <deque>
#include <string>
#include <vector>

#include "bindings/errors.h"
#include "bindings/schema.h"
#include "format/writer.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

// What a TableBuilder borrows.
struct Storage {
  std::deque<std::vector<uint64_t>> words;
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> reals;
  std::deque<std::vector<std::string>> texts;
};

std::string own_bytes_of(nb::handle item) {
  if (nb::isinstance<nb::bytes>(item)) {
    const auto bytes = nb::borrow<nb::bytes>(item);
    return {bytes.c_str(), bytes.size()};
  }
  return nb::cast<std::string>(item);
}

const ColumnInfo* known_column(std::string_view table, std::string_view column) {
  const TableInfo* info = known_table(table);
  for (size_t i = 0; info && i < info->columns.size(); ++i) {
    if (info->columns[i].name == column) return &info->columns[i];
  }
  return nullptr;
}

bool is_signed(const ColumnInfo* known, const nb::list& items) {
  if (known) return known->role == Role::i64;
  for (nb::handle item : items) {
    if (nb::cast<nb::int_>(item) < nb::int_(0)) return true;
  }
  return false;
}

bool is_textual(const ColumnInfo* known, const nb::list& items) {
  if (items.size() > 0) return nb::isinstance<nb::str>(items[0]) || nb::isinstance<nb::bytes>(items[0]);
  return known && (known->role == Role::text || known->role == Role::list);
}

bool is_real(const ColumnInfo* known, const nb::list& items) {
  return items.size() > 0 ? nb::isinstance<nb::float_>(items[0]) : known && known->role == Role::f64;
}

template <typename T, typename Convert>
std::vector<T>& collect_values(std::deque<std::vector<T>>& storage, const nb::list& items, Convert convert) {
  std::vector<T>& values = storage.emplace_back();
  values.reserve(items.size());
  for (nb::handle item : items) values.push_back(convert(item));
  return values;
}

void add_column(format::TableBuilder& builder, const std::string& column, const nb::list& items, Storage& storage) {
  const ColumnInfo* known = known_column(builder.name(), column);
  if (is_textual(known, items)) {
    builder.text(column, collect_values(storage.texts, items, own_bytes_of));
  } else if (is_real(known, items)) {
    builder.f64(column, collect_values(storage.reals, items, [](nb::handle item) { return nb::cast<double>(item); }));
  } else if (is_signed(known, items)) {
    builder.i64(column,
                collect_values(storage.integers, items, [](nb::handle item) { return nb::cast<int64_t>(item); }));
  } else {
    builder.u64(column, collect_values(storage.words, items, [](nb::handle item) { return nb::cast<uint64_t>(item); }));
  }
}

}  // namespace

void write_tables(const nb::bytes& path, const nb::dict& tables, uint64_t job) {
  auto sink = take(format::FileSink::open({path.c_str(), path.size()}, format::FileSink::Mode::kReplace));
  format::WriterOptions options;
  options.job = job;
  auto writer = take(format::Writer::open(std::move(sink), options));
  for (const auto& [name, columns] : tables) {
    Storage storage;
    format::TableBuilder builder(nb::cast<std::string>(name));
    for (const auto& [column, items] : nb::cast<nb::dict>(columns)) {
      add_column(builder, nb::cast<std::string>(column), nb::cast<nb::list>(items), storage);
    }
    check(writer.add(builder));
  }
  check(writer.close());
}

}  // namespace headrace::bindings
