#pragma once
// Goes through the events of a location, chunk by chunk. Damaged chunks are passed over and counted by the reader.

#include <span>

#include "events/trace_reader.h"

namespace headrace::events {

struct TimeRange {
  uint64_t begin_at_ns = 0;
  uint64_t end_at_ns = ~uint64_t{0};  // the last ns of it
  bool has(uint64_t at_ns) const { return begin_at_ns <= at_ns && at_ns <= end_at_ns; }
};

/// The first of a location's chunks that may have events of this time or later, in TraceLocation::chunks. In a time
/// logarithmic in their number where they are in order.
size_t first_chunk(const TraceReader& trace, const TraceLocation& location, uint64_t at_ns);

/// The reader and its location outlive the cursor.
class EventCursor {
 public:
  EventCursor(TraceReader& reader, const TraceLocation& location, TimeRange range = {})
      : reader_(&reader), location_(&location), range_(range), at_(first_chunk(reader, location, range.begin_at_ns)) {}

  /// The next chunk becomes the first one that ends at this time or later, backward or forward; the range stays.
  void seek(uint64_t at_ns);

  /// Goes on to the next chunk that can be read and that the range touches. False: there is none. kIo.
  base::Result<bool> next();

  /// Gives back the memory of the chunk's events; and reads them again. Any error.
  void release() { chunk_.events = {}; }
  base::Status read_again() { return reader_->read(location_->chunks[at_ - 1], chunk_); }

  /// All of the chunk, also where the range has only some: the others say what is open.
  std::span<const model::Event> events() const { return chunk_.events; }
  uint8_t tick_shift() const { return chunk_.tick_shift; }

  /// Before the first event, outermost first.
  const std::vector<uint32_t>& open() const { return chunk_.open; }

  /// Whether events are missing between the last chunk and this one, so that only open() says what is open.
  bool gap() const { return gap_; }

  /// Whether the chunk in front of this one is there, and ends before the range: open() was open when the range begins.
  bool follows() const { return follows_; }

 private:
  bool follows_outside(uint64_t sequence) const;

  TraceReader* reader_;
  const TraceLocation* location_;
  TimeRange range_;
  DecodedChunk chunk_;
  size_t at_;              // of the next in location_->chunks
  uint64_t sequence_ = 0;  // that follows on the chunk before
  bool gap_ = false;
  bool follows_ = false;
};

}  // namespace headrace::events
