#include "capture/harvest/unfinished.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "format/chunk.h"
#include "format/reader.h"

namespace headrace::capture {
namespace {

bool belongs_to_processes(std::string_view table) {
  constexpr std::string_view kTables[] = {"files", "sizes", "common", "profiles", "series", "gaps"};
  return std::find(std::begin(kTables), std::end(kTables), table) != std::end(kTables);
}

}  // namespace

base::Status drop_unfinished_rows(const std::string& path) {
  const auto reader = format::Reader::open(path);
  if (!reader.ok() || reader->closed()) return {};
  uint64_t named = 0, cut = UINT64_MAX;
  for (const format::ChunkInfo& chunk : reader->chunks())
    if (chunk.header.name() == "processes") named = std::max(named, chunk.offset + 1);
  for (const format::ChunkInfo& chunk : reader->chunks())
    if (belongs_to_processes(chunk.header.name()) && chunk.offset >= named) cut = std::min(cut, chunk.offset);
  if (cut == UINT64_MAX || truncate(path.c_str(), static_cast<off_t>(cut)) == 0) return {};
  return {base::Code::kIo, path + ": the unfinished part behind byte " + std::to_string(cut) + " cannot be cut off: " +
                               strerror(errno) + "; make the file writable, or name another with -o"};
}

}  // namespace headrace::capture
