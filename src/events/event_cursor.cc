#include "events/event_cursor.h"

#include <algorithm>

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;

size_t first_chunk(const TraceReader& trace, const TraceLocation& location, uint64_t at_ns) {
  if (!location.in_order) return 0;
  const auto before = [&](uint32_t chunk, uint64_t time) { return trace.chunks()[chunk].header.end_at_ns < time; };
  return static_cast<size_t>(std::lower_bound(location.chunks.begin(), location.chunks.end(), at_ns, before) -
                             location.chunks.begin());
}

void EventCursor::seek(uint64_t at_ns) {
  at_ = first_chunk(*reader_, *location_, std::max(at_ns, range_.begin_at_ns));
  sequence_ = at_ == 0 ? 0 : ~uint64_t{0};
}

bool EventCursor::follows_outside(uint64_t sequence) const {
  if (at_ < 2) return false;
  const format::ChunkHeader& before = reader_->chunks()[location_->chunks[at_ - 2]].header;
  return before.sequence + 1 == sequence && before.end_at_ns < range_.begin_at_ns;
}

Result<bool> EventCursor::next() {
  bool passed = false;  // a chunk before this one
  while (at_ < location_->chunks.size()) {
    const uint32_t chunk = location_->chunks[at_++];
    const format::ChunkHeader& header = reader_->chunks()[chunk].header;
    if (location_->in_order && header.begin_at_ns > range_.end_at_ns) break;  // and so do all behind it
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
    follows_ = follows_outside(header.sequence);
    return true;
  }
  return false;
}

}  // namespace headrace::events
