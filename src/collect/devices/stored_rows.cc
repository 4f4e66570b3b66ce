#include "collect/devices/stored_rows.h"

#include <algorithm>
#include <filesystem>

#include "format/decode.h"

namespace headrace::collect {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;  // of one chunk's values

}  // namespace

std::vector<std::string> names_with(const std::string& directory, const std::string& end) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), last; !error && at != last; at.increment(error)) {
    const std::string path = at->path().string();
    if (path.ends_with(end)) found.push_back(path.substr(0, path.size() - end.size()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<const format::ChunkInfo*> chunks_of(const format::Reader& file, const std::string& table) {
  std::vector<const format::ChunkInfo*> found;
  for (const format::ChunkInfo& chunk : file.chunks()) {
    if (chunk.header.name() == table) found.push_back(&chunk);
  }
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
  return found;
}

base::Result<format::Table> rows_of(const format::Reader& file, const format::ChunkInfo& chunk) {
  HEADRACE_ASSIGN(const std::vector<uint8_t> payload, file.copy(chunk));
  format::TableAssembler assembler(std::string(chunk.header.name()), chunk.header.rows, kMemory);
  HEADRACE_TRY(assembler.add(payload, chunk.header.rows));
  return assembler.finish();
}

const format::Column* integers(const format::Table& table, const char* name) {
  const format::Column* column = table.find(name);
  const bool are = column != nullptr && (column->type == format::Type::kU64 || column->type == format::Type::kI64);
  return are ? column : nullptr;
}

}  // namespace headrace::collect
