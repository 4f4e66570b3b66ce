// Reads the events of one thread of a dead process as traces have them, some at a time: in the order of time, behind
// what flushers have stored. Memory does not grow with their number, but with that of what is inside of one call.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "capture/harvest/event_order.h"
#include "capture/harvest/event_reader.h"

namespace headrace::capture {

inline constexpr size_t kRawPiece = 4096;  // of PackedEvents that are read at a time; 2 at least

/// The events as they were recorded, behind the first `skip` of RecordedThread::count.
class RawEvents {
 public:
  RawEvents(const EventBytes& bytes, const RecordedThread& thread, uint64_t skip, size_t piece = kRawPiece)
      : bytes_(bytes), thread_(thread), place_(skip), piece_(piece) {}

  /// The next ones; none: that was all, or the file has become shorter. Valid until it is asked for more.
  std::span<const RawEvent> next();
  /// How many of RecordedThread::count were read.
  uint64_t read() const { return read_; }
  /// A block ended with half an event, of which there is nothing then.
  bool torn() const { return torn_; }

 private:
  const EventBytes& bytes_;
  const RecordedThread& thread_;
  uint64_t place_;  // of the next one, from where the extent begins
  size_t piece_, extent_ = 0;
  std::vector<PackedEvent> packed_;
  std::vector<RawEvent> raw_;
  uint64_t read_ = 0;
  bool torn_ = false;
  void unpack_piece(uint64_t base);
};

class ThreadEvents {
 public:
  /// `open`: calls whose begin is to be among them. Nothing is put before `earliest`, which is in the trace already.
  /// All outlive this.
  ThreadEvents(const RecordedEvents& recorded, const RecordedThread& thread, uint64_t skip, const ClockMap& clock,
               EventConverter& converter, std::span<const OpenCall> open, uint64_t earliest, size_t piece = kRawPiece);
  /// Before the first of them is asked for: calls that never come to an end.
  void begin(std::span<const RawEvent> unfinished) {
    for (const RawEvent& call : unfinished) converter_.begin(call, order_.waiting());
  }

  /// The next ones, whole chunks but for the last; none: that was all. Valid until it is asked for more.
  std::span<const model::Event> next();

  uint64_t moved() const { return moved_; }  // how many would have been before `earliest`
  uint64_t read() const { return raw_.read(); }
  bool torn() const { return raw_.torn(); }

 private:
  const ClockMap& clock_;
  EventConverter& converter_;
  const uint64_t earliest_;
  RawEvents raw_;
  std::vector<uint64_t> later_;  // by piece: where the earliest of those behind it begins, ticks
  size_t pieces_ = 0;            // that were read
  EventOrder order_;
  uint64_t moved_ = 0;
  bool over_ = false;
};

}  // namespace headrace::capture
