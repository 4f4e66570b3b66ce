// The rows of a file chunk by chunk, so that memory is that of one. Such a file may be anybody's, and hold anything.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/decode.h"
#include "format/reader.h"

namespace headrace::collect {

/// In the order in which they stand in the file, whatever they say of their sequence. They live as long as the reader.
inline std::vector<const format::ChunkInfo*> chunks_of(const format::Reader& file, std::string_view table) {
  std::vector<const format::ChunkInfo*> found;
  for (const format::ChunkInfo& chunk : file.chunks()) {
    if (chunk.header.name() == table) found.push_back(&chunk);
  }
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
  return found;
}

/// The rows of one chunk. Errors of format::Reader.
inline base::Result<format::Table> rows_of(const format::Reader& file, const format::ChunkInfo& chunk) {
  constexpr uint64_t kMemory = uint64_t{1} << 30;  // of its values
  HEADRACE_ASSIGN(const std::vector<uint8_t> payload, file.copy(chunk));
  format::TableAssembler assembler(std::string(chunk.header.name()), chunk.header.rows, kMemory);
  HEADRACE_TRY(assembler.add(payload, chunk.header.rows));
  return assembler.finish();
}

/// A column of integers. Null: there is none of that name, or it holds something else.
inline const format::Column* integers(const format::Table& table, const char* name) {
  const format::Column* column = table.find(name);
  const bool are = column != nullptr && (column->type == format::Type::kU64 || column->type == format::Type::kI64);
  return are ? column : nullptr;
}

}  // namespace headrace::collect
