#include "capture/harvest/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "capture/harvest/shared_log.h"
#include "format/chunk.h"
#include "format/reader.h"
#include "format/room.h"

namespace headrace::capture {
namespace {

using base::Status;

constexpr uint32_t kEmptyKind = format::kind_of("VOID");  // unknown to readers, who pass over such chunks

bool belongs_to_processes(std::string_view table) {
  constexpr std::string_view kTables[] = {"files",  "properties", "sizes", "common",    "profiles",
                                          "series", "sites",      "gaps",  "unfinished"};
  return std::find(std::begin(kTables), std::end(kTables), table) != std::end(kTables);
}

std::vector<format::ChunkInfo> unfinished(const format::Reader& reader, uint64_t producer) {
  uint64_t named = 0;
  std::vector<format::ChunkInfo> found;
  const auto is_own = [&](const format::ChunkInfo& chunk) { return chunk.header.producer.process == producer; };
  for (const format::ChunkInfo& chunk : reader.chunks())
    if (is_own(chunk) && chunk.header.name() == "processes") named = std::max(named, chunk.offset + 1);
  for (const format::ChunkInfo& chunk : reader.chunks())
    if (is_own(chunk) && belongs_to_processes(chunk.header.name()) && chunk.offset >= named) found.push_back(chunk);
  return found;
}

/// Whether somebody else's chunks stand behind `offset`.
bool is_followed(const format::Reader& reader, uint64_t offset, uint64_t producer) {
  return std::any_of(reader.chunks().begin(), reader.chunks().end(), [&](const format::ChunkInfo& chunk) {
    return chunk.offset > offset && chunk.header.producer.process != producer;
  });
}

/// Whether ranks have, or had, a room behind `offset` (format/room.h): one of them may still write there.
bool has_room_behind(const std::string& path, uint64_t offset) {
  const std::vector<uint8_t> mark = format::room_mark(0, 0);
  const auto* magic = mark.data();
  constexpr size_t kMagicAndKind = 12, kStep = 64 << 10;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::vector<uint8_t> bytes(kStep);
  bool found = descriptor < 0;
  for (ssize_t got; !found; offset += static_cast<uint64_t>(got) - kMagicAndKind + 1) {
    got = pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < static_cast<ssize_t>(kMagicAndKind)) break;
    found = memmem(bytes.data(), static_cast<size_t>(got), magic, kMagicAndKind) != nullptr;
  }
  if (descriptor >= 0) close(descriptor);
  return found;
}

bool make_empty(int descriptor, const format::ChunkInfo& chunk) {
  format::ChunkHeader header = chunk.header;
  header.kind = kEmptyKind;
  std::array<uint8_t, format::kHeaderSize> bytes;
  format::encode_header(header, bytes);
  const auto offset = static_cast<off_t>(chunk.offset);
  return pwrite(descriptor, bytes.data(), bytes.size(), offset) == static_cast<ssize_t>(bytes.size());
}

}  // namespace

Status drop_unfinished_rows(const std::string& path, uint64_t producer) {
  const auto shared = SharedLog::join(path);
  if (!shared.ok()) return {};  // said when it is to be written
  const auto section = shared->enter();
  const auto reader = format::Reader::open(path);
  if (!reader.ok()) return {};
  const std::vector<format::ChunkInfo> chunks = unfinished(*reader, producer);
  if (chunks.empty()) return {};
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  bool done = descriptor >= 0;
  if (done && !is_followed(*reader, chunks.front().offset, producer) && !reader->closed() &&
      !has_room_behind(path, chunks.front().offset))
    done = ftruncate(descriptor, static_cast<off_t>(chunks.front().offset)) == 0;
  else
    for (const format::ChunkInfo& chunk : chunks) done = done && make_empty(descriptor, chunk);
  const std::string why = strerror(errno);
  if (descriptor >= 0) close(descriptor);
  if (done) return {};
  return {base::Code::kIo, path + ": the unfinished part from byte " + std::to_string(chunks.front().offset) +
                               " cannot be taken out: " + why + "; make the file writable, or name another with -o"};
}

}  // namespace headrace::capture
