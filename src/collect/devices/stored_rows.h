// Rows of files that are in a store already. Such a file may be anybody's, and hold anything.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "format/columns.h"
#include "format/reader.h"

namespace headrace::collect {

/// In the order in which they stand in the file, whatever they say of their sequence.
std::vector<const format::ChunkInfo*> chunks_of(const format::Reader& file, const std::string& table);

/// The rows of one chunk. Errors of format::Reader.
base::Result<format::Table> rows_of(const format::Reader& file, const format::ChunkInfo& chunk);

/// A column of integers. Null: there is none of that name, or it holds something else.
const format::Column* integers(const format::Table& table, const char* name);

/// Paths of what is in a directory under names that end so, without that end, by name.
std::vector<std::string> names_with(const std::string& directory, const std::string& end);

}  // namespace headrace::collect
