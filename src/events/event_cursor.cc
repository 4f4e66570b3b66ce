#include "events/event_cursor.h"

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;

Result<bool> EventCursor::next() {
  bool passed = false;  // a chunk before this one
  while (at_ < location_->chunks.size()) {
    const uint32_t chunk = location_->chunks[at_++];
    const format::ChunkHeader& header = reader_->chunks()[chunk].header;
    if (header.sequence != sequence_) passed = true;
    sequence_ = header.sequence + 1;
    const bool outside = header.end_at_ns < range_.begin_at_ns || header.begin_at_ns > range_.end_at_ns;
    const Status status = outside ? Status() : reader_->read(chunk, chunk_);
    if (status.code() == Code::kIo) return status;
    if (outside || !status.ok()) {
      passed = true;
      continue;
    }
    gap_ = passed;
    return true;
  }
  return false;
}

}  // namespace headrace::events
