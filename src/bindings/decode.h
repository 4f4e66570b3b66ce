#pragma once
// From the columns that the reader gives to the columns that Python shows. Pure functions.

#include "base/result.h"
#include "bindings/columns.h"
#include "bindings/frame.h"
#include "bindings/names.h"
#include "bindings/schema.h"
#include "format/columns.h"

namespace headrace::bindings {

/// The known columns in the order of tables.def, zeros or empty text where the file has none, then the columns that
/// only the file knows. Ids of names become text. `table` may be null: no rows. `info` may be null: a table this
/// version does not know. kCorrupt: a column has text where numbers belong, or the reverse.
base::Result<Frame> decode(const SharedTable& table, const TableInfo* info, const Names& names);

/// The columns as stored: ids as numbers, text as bytes.
Frame decode_raw(const SharedTable& table);

}  // namespace headrace::bindings
