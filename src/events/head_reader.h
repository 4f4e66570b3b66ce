#pragma once
// Reads heads of chunks of events without the rest of them. One thread at a time; several may share a file. Internal to
// events.

#include <vector>

#include "events/event_chunk.h"
#include "format/reader.h"

namespace headrace::events {

class HeadReader {
 public:
  explicit HeadReader(const format::Reader& file) : file_(&file) {}

  /// The head of a chunk: `columns` say nothing. Where its own checksum does not hold, that of the chunk decides.
  /// kCorrupt, kUnsupported: it cannot be used. kIo.
  base::Result<EventChunk> head(const format::ChunkInfo& chunk);

  /// All of a chunk, which lives until the next call.
  base::Result<EventChunk> whole(const format::ChunkInfo& chunk);

 private:
  const format::Reader* file_;
  size_t length_ = 2048;  // that is asked for; heads of one trace are nearly as long as each other
  std::vector<uint8_t> scratch_, payload_;
};

}  // namespace headrace::events
