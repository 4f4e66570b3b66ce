#pragma once
// The events of a location as formats want them that demand order and balance: times never go back, every end is that
// of the innermost begin, and everything is closed. What has to be made or changed for that is counted.

#include <span>
#include <vector>

#include "events/event_cursor.h"

namespace headrace::convert {

struct BalancedEvent {
  model::Event event;
  // Not in the trace. An end says nothing of bytes and errors then; a begin has size, place and handle only if the
  // trace's own begin was seen.
  bool made = false;
};

/// What the events of a trace had to be changed for. Zero in all of a sound trace that is given whole.
struct Changes {
  uint64_t closed_at_end = 0;  // open when the location's events, or the range, ended
  uint64_t cut_at_begin = 0;   // open when the range began: they begin with it
  uint64_t closed_in_gap = 0;  // open where events are missing: nobody knows when they ended
  uint64_t opened_in_gap = 0;  // open behind missing events: nobody knows since when
  uint64_t closed_early = 0;   // open inside of what ended
  uint64_t left_out = 0;       // ends of what was not open
  uint64_t moved = 0;          // events before the one in front of them: at its time now
  void add(const Changes& other);
};

/// The reader and its location outlive it.
class BalancedEvents {
 public:
  BalancedEvents(events::TraceReader& reader, const events::TraceLocation& location, events::TimeRange range)
      : reader_(&reader),
        location_(&location),
        cursor_(reader, location, with_state(reader, location, range)),
        range_(range),
        cut_at_ns_(range.end_at_ns < location.end_at_ns ? range.end_at_ns : 0),
        inside_(range.begin_at_ns == 0) {}

  /// Goes on to the next events. False: there are no more. kIo.
  base::Result<bool> next();
  std::span<const BalancedEvent> events() const { return events_; }
  const Changes& changes() const { return changes_; }

 private:
  void take(const model::Event& event);
  void end(const model::Event& event);
  void resume(const std::vector<uint32_t>& open, uint64_t at);
  void begin_range();
  base::Status begin_between();
  static events::TimeRange with_state(const events::TraceReader& reader, const events::TraceLocation& location,
                                      events::TimeRange range);
  void close_innermost(uint64_t at);
  model::Event begin_of(uint32_t reference, uint64_t at) const;
  void put(model::Event event, bool made);

  events::TraceReader* reader_;
  const events::TraceLocation* location_;
  events::EventCursor cursor_;
  events::TimeRange range_;
  std::vector<BalancedEvent> events_;
  std::vector<model::Event> open_;  // their begins
  Changes changes_;
  uint64_t deeper_ = 0;  // begins that were passed over
  uint64_t last_ = 0;
  uint64_t cut_at_ns_;  // where the range ends before the location; 0: it does not
  bool inside_;         // the range began
  bool over_ = false;
  bool done_ = false;
};

}  // namespace headrace::convert
