#pragma once
// Single columns of the reader as Values, sharing their memory wherever their layout allows. Pure functions.

#include <memory>

#include "bindings/frame.h"
#include "format/columns.h"

namespace headrace::bindings {

using SharedTable = std::shared_ptr<const format::Table>;

/// A column of numbers; zeros when `column` is null or holds text.
Values numbers(const SharedTable& table, const format::Column* column, uint64_t rows);

/// The column of that name; null where there is none, or it holds no texts.
const format::Column* text_column(const SharedTable& table, const char* name);

/// A column of text: as bytes when `binary`, else as valid UTF-8 with escapes (see utf8.h).
Values text_values(const SharedTable& table, const format::Column& column, bool binary);

}  // namespace headrace::bindings
