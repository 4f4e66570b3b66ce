#include "bindings/to_python.h"

#include <algorithm>
#include <bit>

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

nb::object value_of(const Values& values, uint64_t row) {
  switch (values.kind) {
    case Kind::kU64:
      return nb::int_(values.words[row]);
    case Kind::kI64:
      return nb::int_(static_cast<int64_t>(values.words[row]));
    case Kind::kF64:
      return nb::float_(std::bit_cast<double>(values.words[row]));
    case Kind::kText:
      return str_of(values.text(row));
    case Kind::kBinary: {
      const std::string_view bytes = values.text(row);
      return nb::bytes(bytes.data(), bytes.size());
    }
    case Kind::kTextList: {
      nb::list items;
      for (uint64_t i = values.offsets[row]; i < values.offsets[row + 1]; ++i) items.append(value_of(*values.items, i));
      return items;
    }
  }
  return nb::none();
}

}  // namespace

nb::str str_of(std::string_view text) { return nb::str(text.data(), text.size()); }

RowMaker::RowMaker(const Frame& frame, const std::vector<std::string>& columns) {
  for (const Values& values : frame.columns) {
    if (!columns.empty() && std::find(columns.begin(), columns.end(), values.name) == columns.end()) continue;
    columns_.push_back({nb::steal<nb::str>(PyUnicode_InternFromString(values.name.c_str())), &values, {}, {}});
  }
}

nb::dict RowMaker::row(uint64_t number) {
  nb::dict dict;
  for (Column& column : columns_) {
    const Values& values = *column.values;
    if (values.kind != Kind::kText) {
      dict[column.name] = value_of(values, number);
      continue;
    }
    const std::string_view text = values.text(number);
    if (!column.last.is_valid() || text != column.text) {
      column.last = str_of(text);
      column.text = text;
    }
    dict[column.name] = column.last;
  }
  return dict;
}

}  // namespace headrace::bindings
