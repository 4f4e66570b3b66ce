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
  LocationStats(const TraceReader& trace, uint64_t process, TimeRange range, TraceStats& stats, CallFilter& filter,
                FileTable* files)
      : trace_(trace), process_(process), range_(range), stats_(stats), filter_(filter), files_(files) {}

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
      stack_.enter({event.reference(), event.time, handle_of(event)});
    else if (is_end(kind))
      end(event, counts);
    else if (counts)
      count_traffic(event);
    return true;
  }

  void finish() {
    for (const OpenSpan& span : stack_.spans()) {
      if (!is_chosen(span)) continue;
      stats_.spans[span.reference].unfinished++;
      if (files_ != nullptr && is_on_file(span)) file_of(span).unfinished++;
    }
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
    for (size_t depth = 0; depth < stack_.spans().size(); ++depth) {
      const OpenSpan& span = stack_.spans()[depth];
      const bool outermost = seen.insert(span.reference).second;
      if (is_chosen(span)) add_time(span, range_.end_at_ns, outermost, depth);
    }
  }

  /// What an open span remembers: its handle, of an operation on a file.
  static uint64_t handle_of(const Event& event) {
    return event.kind() == EventKind::kIoBegin ? event.other : OpenSpan::kNotSeen;
  }
  static bool is_on_file(const OpenSpan& span) { return span.row != OpenSpan::kNotSeen; }

  bool is_chosen(const OpenSpan& span, bool failed = false) const {
    if (filter_.everything()) return true;
    if (!is_on_file(span)) return filter_.has(span.reference);
    return filter_.has(span.reference, process_, static_cast<uint32_t>(span.row), failed);
  }

  FileFigures& file_of(const OpenSpan& span) { return (*files_)[file_row(span)]; }
  uint32_t file_row(const OpenSpan& span) {
    return files_->row_of(span.reference, process_, static_cast<uint32_t>(span.row));
  }

  void end(const Event& event, bool counts) {
    OpenSpan span;
    const SpanStack::Left left = stack_.leave(event.reference(), span);
    if (!counts) return;
    const bool known = left == SpanStack::Left::kInnermost || left == SpanStack::Left::kOuter;
    if (!known) span = {.reference = event.reference()};
    const bool on_file = event.kind() == EventKind::kIoEnd, failed = on_file && event.place != 0;
    // An end may know more than its begin, such as the handle of what was opened; of two names it has the second.
    if (on_file && (span.row == 0 || !is_on_file(span))) span.row = event.other;
    if (!is_chosen(span, failed)) return;
    SpanFigures& figures = stats_.spans[event.reference()];
    figures.calls++;
    figures.bytes += event.size;
    figures.errors += failed;
    if (known) add_time(span, event.time, !stack_.is_inside(span.reference), stack_.spans().size());
    if (files_ != nullptr && on_file) add_to_file(event, span, failed);
  }

  void add_to_file(const Event& event, const OpenSpan& span, bool failed) {
    FileFigures& figures = file_of(span);
    const TimeClass what = trace_.references()[event.reference()].time_class;
    figures.calls++;
    figures.errors += failed;
    if (what == TimeClass::kRead) figures.bytes_read += event.size;
    if (what == TimeClass::kWrite) figures.bytes_written += event.size;
  }

  /// Whether one of the spans around it, of which there are so many, is an operation on the same file.
  bool is_inside_of_its_file(const OpenSpan& span, size_t depth) {
    const uint32_t row = file_row(span);
    for (size_t up = 0; up < depth && up < kLookedThrough; ++up) {
      const OpenSpan& outer = stack_.spans()[depth - 1 - up];
      if (is_on_file(outer) && file_row(outer) == row) return true;
    }
    return false;
  }

  /// What calls itself spends the time of its outermost call, not that of each level once more.
  void add_time(const OpenSpan& span, uint64_t end_ns, bool is_outermost, size_t depth) {
    if (span.begin_at_ns > end_ns) return;
    SpanFigures& figures = stats_.spans[span.reference];
    const uint64_t time_ns = end_ns - std::min(end_ns, std::max(span.begin_at_ns, range_.begin_at_ns));
    if (is_outermost) figures.time_ns += time_ns;
    figures.own_ns += std::min(span.own_ns, time_ns);
    figures.longest_ns = std::max(figures.longest_ns, time_ns);
    if (files_ == nullptr || !is_on_file(span)) return;
    const bool inside = is_inside_of_its_file(span, depth);  // may add rows
    FileFigures& on_file = file_of(span);
    on_file.longest_ns = std::max(on_file.longest_ns, time_ns);
    if (!inside) on_file.time_ns += time_ns;
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

  static constexpr size_t kLookedThrough = 64;  // so that hostile events cost little

  const TraceReader& trace_;
  const uint64_t process_;
  TimeRange range_;
  TraceStats& stats_;
  CallFilter& filter_;
  FileTable* const files_;  // null: not asked for
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

Result<TraceStats> add_up(TraceReader& trace, const std::vector<uint32_t>& locations, TimeRange range,
                          const StatsOptions& options) {
  TraceStats stats;
  CallFilter filter(trace, options.calls);
  FileTable files(trace);
  for (const uint32_t number : locations) {
    const TraceLocation& location = trace.locations()[number];
    LocationStats of_location(trace, location.what.process, range, stats, filter, options.files ? &files : nullptr);
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
  stats.files = files.take();
  return stats;
}

Result<TraceStats> add_up(TraceReader& trace) {
  std::vector<uint32_t> all(trace.locations().size());
  std::iota(all.begin(), all.end(), 0);
  return add_up(trace, all);
}

}  // namespace headrace::events
