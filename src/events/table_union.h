#pragma once
// Tables of several chunk files as one, each row once. Internal to events.

#include <string_view>
#include <vector>

#include "format/reader.h"
#include "format/writer.h"

namespace headrace::events {

/// Writes the rows of a table of a job in these files, in their order. Of equal rows the first stays, but the last in
/// the table `job`, where the last value of a key counts. Has all columns that any of them has; where one lacks a
/// column, its rows have 0 or nothing. False: some file has columns of an unknown type, which only a copy of its chunks
/// would keep, or one column has several types; nothing is written. kIo, kLimit.
base::Result<bool> write_union(const std::vector<format::Reader*>& files, std::string_view table, uint64_t job,
                               format::Writer& writer);

}  // namespace headrace::events
