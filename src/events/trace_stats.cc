#include "events/trace_stats.h"

#include <algorithm>

#include "events/event_cursor.h"
#include "events/span_stack.h"

namespace headrace::events {

using base::Result;
using base::Status;
using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

class LocationStats {
 public:
  LocationStats(const TraceReader& trace, TraceStats& stats) : trace_(trace), stats_(stats) {}

  void begin_chunk(const EventCursor& cursor) {
    stats_.spans.resize(trace_.references().size());
    stats_.events += cursor.events().size();
    if (!cursor.gap()) return;
    stack_.restart(cursor.open());
    now_ns_ = cursor.events().front().time;
  }

  void take(const Event& event) {
    const EventKind kind = event.kind();
    stats_.kinds[static_cast<unsigned>(kind)]++;
    if (first_) now_ns_ = event.time;
    first_ = false;
    if (event.time > now_ns_) {
      stats_.class_ns[static_cast<unsigned>(innermost())] += event.time - now_ns_;
      now_ns_ = event.time;
    }
    if (is_begin(kind))
      stack_.enter({event.reference(), event.time});
    else if (is_end(kind))
      end(event);
    else
      count_traffic(event);
  }

  void finish() {
    for (const OpenSpan& span : stack_.spans()) stats_.spans[span.reference].unfinished++;
  }

 private:
  TimeClass innermost() const {
    if (stack_.spans().empty()) return TimeClass::kProgram;
    return trace_.references()[stack_.spans().back().reference].time_class;
  }

  void end(const Event& event) {
    OpenSpan span;
    const SpanStack::Left left = stack_.leave(event.reference(), span);
    SpanFigures& figures = stats_.spans[event.reference()];
    figures.calls++;
    figures.bytes += event.size;
    figures.errors += event.kind() == EventKind::kIoEnd && event.place != 0;
    const bool both = left == SpanStack::Left::kInnermost || left == SpanStack::Left::kOuter;
    if (!both || span.begin_at_ns > event.time) return;
    figures.time_ns += event.time - span.begin_at_ns;
    figures.longest_ns = std::max(figures.longest_ns, event.time - span.begin_at_ns);
  }

  void count_traffic(const Event& event) {
    Traffic& traffic = stats_.traffic;
    if (event.kind() == EventKind::kSend) {
      traffic.sends++;
      traffic.sent += event.size;
    } else if (event.kind() == EventKind::kReceive) {
      traffic.receives++;
      traffic.received += event.size;
    } else if (event.kind() == EventKind::kCollective) {
      traffic.collectives++;
    }
  }

  const TraceReader& trace_;
  TraceStats& stats_;
  SpanStack stack_;
  uint64_t now_ns_ = 0;  // up to which time is told
  bool first_ = true;
};

}  // namespace

Result<TraceStats> add_up(TraceReader& trace) {
  TraceStats stats;
  for (const TraceLocation& location : trace.locations()) {
    LocationStats of_location(trace, stats);
    EventCursor cursor(trace, location);
    while (true) {
      HEADRACE_ASSIGN(const bool more, cursor.next());
      if (!more) break;
      of_location.begin_chunk(cursor);
      for (const Event& event : cursor.events()) of_location.take(event);
    }
    of_location.finish();
  }
  stats.spans.resize(trace.references().size());
  return stats;
}

}  // namespace headrace::events
