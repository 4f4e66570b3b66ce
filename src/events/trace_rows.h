#pragma once
// The events of a trace one by one, as people read them: in the order of time, an operation of I/O as one row.

#include <deque>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "events/event_chunk.h"
#include "events/event_cursor.h"
#include "events/span_stack.h"

namespace headrace::events {

inline constexpr uint64_t kNoDuration = ~uint64_t{0};

/// An event; kIoBegin with what its kIoEnd says, if that is not farther away than the next chunk.
struct TraceRow {
  model::Event event;
  uint64_t duration_ns = kNoDuration;  // of kIoBegin with its end, and of kLeave and kIoEnd whose begins were seen
  uint64_t moved = 0;                  // bytes, of kIoBegin with its end
  uint32_t error = 0;                  // the same: errno
};

/// Rows of one location, in its order. Those outside of the range are left out.
class RowCursor {
 public:
  /// In memory are rows of `piece` events: of fewer than a chunk has, chunks are decoded again for each.
  RowCursor(TraceReader& reader, const TraceLocation& location, TimeRange range, size_t piece = kMostEvents)
      : cursor_(reader, location, range), range_(range), piece_(piece) {}

  /// The next row, good until the next call; null: there is none. kIo.
  base::Result<const TraceRow*> next();

 private:
  base::Status load();
  base::Status load_piece();
  base::Status look_ahead();
  bool close_ahead(SpanStack& ahead, std::span<const model::Event> events, size_t& open);
  void close(uint64_t row, const model::Event& event, uint64_t duration);
  void take(const model::Event& event);
  void end(const model::Event& event);

  EventCursor cursor_;
  TimeRange range_;
  size_t piece_;
  size_t taken_ = 0, in_chunk_ = 0;  // events of the chunk, where it comes in pieces
  SpanStack stack_;
  std::deque<TraceRow> rows_;  // of two chunks
  uint64_t first_ = 0;         // number of the first of them
  uint64_t ready_ = 0;         // rows before this number are given: their ends were looked for in the next chunk
  bool given_ = false;         // the first of them was
  bool done_ = false;
};

/// Rows of several locations by time, however many these are.
class TraceRows {
 public:
  static constexpr size_t kMostRows = 8 << 20;  // in memory: 600 MB

  /// `locations`: in TraceReader::locations().
  TraceRows(TraceReader& reader, std::vector<uint32_t> locations, TimeRange range, size_t most_rows = kMostRows);

  /// The next row, good until the next call; null: there is none. kIo.
  base::Result<const TraceRow*> next();
  uint32_t location() const { return now_; }  // of that row

 private:
  struct Waiting {
    uint64_t time;
    uint32_t place;  // in open_
    bool operator>(const Waiting& other) const { return std::pair(time, place) > std::pair(other.time, other.place); }
  };
  struct Open {
    uint32_t location;
    std::unique_ptr<RowCursor> cursor;  // null: its time has not come, or is over
    const TraceRow* row = nullptr;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};
  void choose_piece(size_t most_rows);
  base::Status advance(uint32_t place);

  TraceReader* reader_;
  TimeRange range_;
  size_t piece_ = 0;
  std::vector<Open> open_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  uint32_t now_ = 0;
  uint32_t last_ = kNone;  // whose row was given
};

}  // namespace headrace::events
