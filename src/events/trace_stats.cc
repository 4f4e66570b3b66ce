#include "events/trace_stats.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

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
  LocationStats(const TraceReader& trace, TimeRange range, TraceStats& stats)
      : trace_(trace), range_(range), stats_(stats) {}

  void begin_chunk(const EventCursor& cursor) {
    stats_.spans.resize(trace_.references().size());
    if (!cursor.gap()) return;
    stack_.restart(cursor.open(), cursor.follows() ? range_.begin_at_ns : OpenSpan::kNotSeen);
    now_ns_ = cursor.follows() ? range_.begin_at_ns : cursor.events().front().time;
    first_ = false;
  }

  /// False: the range ends before this event.
  bool take(const Event& event) {
    if (first_) now_ns_ = event.time;
    first_ = false;
    if (event.time > range_.end_at_ns) {
      leave_range();
      return false;
    }
    advance(event.time);
    const EventKind kind = event.kind();
    const bool counts = event.time >= range_.begin_at_ns;
    stats_.events += counts;
    stats_.kinds[static_cast<unsigned>(kind)] += counts;
    if (is_begin(kind))
      stack_.enter({event.reference(), event.time});
    else if (is_end(kind))
      end(event, counts);
    else if (counts)
      count_traffic(event);
    return true;
  }

  void finish() {
    for (const OpenSpan& span : stack_.spans()) stats_.spans[span.reference].unfinished++;
  }

 private:
  TimeClass innermost() const {
    if (stack_.spans().empty()) return TimeClass::kProgram;
    return trace_.references()[stack_.spans().back().reference].time_class;
  }

  void advance(uint64_t to_ns) {
    if (to_ns <= now_ns_) return;
    const uint64_t from_ns = std::max(now_ns_, range_.begin_at_ns);
    now_ns_ = to_ns;
    if (to_ns <= from_ns) return;
    stats_.class_ns[static_cast<unsigned>(innermost())] += to_ns - from_ns;
    if (OpenSpan* span = stack_.innermost()) span->own_ns += to_ns - from_ns;
  }

  /// Events follow, so what is open goes on.
  void leave_range() {
    advance(range_.end_at_ns);
    std::unordered_set<uint32_t> seen;
    for (const OpenSpan& span : stack_.spans()) add_time(span, range_.end_at_ns, seen.insert(span.reference).second);
  }

  void end(const Event& event, bool counts) {
    OpenSpan span;
    const SpanStack::Left left = stack_.leave(event.reference(), span);
    if (!counts) return;
    SpanFigures& figures = stats_.spans[event.reference()];
    figures.calls++;
    figures.bytes += event.size;
    figures.errors += event.kind() == EventKind::kIoEnd && event.place != 0;
    if (left == SpanStack::Left::kInnermost || left == SpanStack::Left::kOuter)
      add_time(span, event.time, !stack_.is_inside(span.reference));
  }

  /// What calls itself spends the time of its outermost call, not that of each level once more.
  void add_time(const OpenSpan& span, uint64_t end_ns, bool is_outermost) {
    if (span.begin_at_ns > end_ns) return;
    SpanFigures& figures = stats_.spans[span.reference];
    const uint64_t time_ns = end_ns - std::min(end_ns, std::max(span.begin_at_ns, range_.begin_at_ns));
    if (is_outermost) figures.time_ns += time_ns;
    figures.own_ns += std::min(span.own_ns, time_ns);
    figures.longest_ns = std::max(figures.longest_ns, time_ns);
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
  TimeRange range_;
  TraceStats& stats_;
  SpanStack stack_;
  uint64_t now_ns_ = 0;  // up to which time is told
  bool first_ = true;
};

/// The range, up to the first event behind it, which says what goes on at its end.
TimeRange with_next(const TraceReader& trace, const TraceLocation& location, TimeRange range) {
  uint64_t next = ~uint64_t{0};
  for (size_t at = first_chunk(trace, location, range.begin_at_ns); at < location.chunks.size(); ++at) {
    const uint64_t begin = trace.chunks()[location.chunks[at]].header.begin_at_ns;
    if (begin > range.end_at_ns) next = std::min(next, begin);
    if (begin > range.end_at_ns && location.in_order) break;
  }
  return {range.begin_at_ns, next == ~uint64_t{0} ? range.end_at_ns : next};
}

}  // namespace

Result<TraceStats> add_up(TraceReader& trace, const std::vector<uint32_t>& locations, TimeRange range) {
  TraceStats stats;
  for (const uint32_t number : locations) {
    LocationStats of_location(trace, range, stats);
    const TraceLocation& location = trace.locations()[number];
    EventCursor cursor(trace, location, with_next(trace, location, range));
    bool inside = true;
    while (inside) {
      HEADRACE_ASSIGN(const bool more, cursor.next());
      if (!more) break;
      of_location.begin_chunk(cursor);
      for (const Event& event : cursor.events())
        if (inside = of_location.take(event); !inside) break;
    }
    of_location.finish();
  }
  stats.spans.resize(trace.references().size());
  return stats;
}

Result<TraceStats> add_up(TraceReader& trace) {
  std::vector<uint32_t> all(trace.locations().size());
  std::iota(all.begin(), all.end(), 0);
  return add_up(trace, all);
}

}  // namespace headrace::events
