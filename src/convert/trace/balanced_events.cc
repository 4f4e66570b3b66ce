#include "convert/trace/balanced_events.h"

#include <algorithm>

#include "events/open_regions.h"
#include "events/span_stack.h"

namespace headrace::convert {

using base::Result;
using base::Status;
using model::Event;
using model::EventKind;

void Changes::add(const Changes& other) {
  closed_at_end += other.closed_at_end;
  cut_at_begin += other.cut_at_begin;
  closed_in_gap += other.closed_in_gap;
  opened_in_gap += other.opened_in_gap;
  closed_early += other.closed_early;
  left_out += other.left_out;
  moved += other.moved;
}

Result<bool> BalancedEvents::next() {
  events_.clear();
  if (done_) return false;
  HEADRACE_ASSIGN(const bool more, over_ ? false : cursor_.next());
  if (more) {
    if (cursor_.gap()) resume(cursor_.open(), cursor_.events().front().time);
    for (const Event& event : cursor_.events()) {
      if (!inside_ && event.time >= range_.begin_at_ns) begin_range();
      over_ = event.time > range_.end_at_ns;  // and so are those behind it
      if (over_) break;
      take(event);
    }
    return true;
  }
  done_ = true;
  if (!inside_) HEADRACE_TRY(begin_between());
  if (inside_) changes_.closed_at_end += open_.size();
  const uint64_t at = std::max(last_, cut_at_ns_);
  while (!open_.empty()) close_innermost(at);
  return !events_.empty();
}

void BalancedEvents::take(const Event& event) {
  if (events::is_end(event.kind())) return end(event);
  if (events::is_begin(event.kind())) {
    if (open_.size() >= events::kDeepest) {
      ++deeper_;
      ++changes_.left_out;
      return;
    }
    open_.push_back(event);
  }
  put(event, false);
}

void BalancedEvents::end(const Event& event) {
  if (deeper_ > 0) {
    --deeper_;
    return;
  }
  constexpr size_t kLookedThrough = 64;  // so that hostile events cost little
  const EventKind begun = event.kind() == EventKind::kLeave ? EventKind::kEnter : EventKind::kIoBegin;
  size_t up = 0;
  for (; up < open_.size() && up < kLookedThrough; ++up) {
    const Event& begin = open_[open_.size() - 1 - up];
    if (begin.reference() == event.reference() && begin.kind() == begun) break;
  }
  if (up == open_.size() || up == kLookedThrough) {
    changes_.left_out += inside_;
    return;
  }
  for (; up > 0; --up) {
    changes_.closed_early += inside_;
    close_innermost(event.time);
  }
  open_.pop_back();
  put(event, false);
}

/// Behind events that are missing. What is open on both sides may have ended and begun again, so it is closed and
/// opened.
void BalancedEvents::resume(const std::vector<uint32_t>& open, uint64_t at) {
  changes_.closed_in_gap += inside_ ? open_.size() : 0;
  while (!open_.empty()) close_innermost(last_);
  for (const uint32_t reference : open) {
    const Event begin = begin_of(reference, at);
    open_.push_back(begin);
    changes_.opened_in_gap += inside_;  // else it is counted when the range begins
    put(begin, true);
  }
  deeper_ = 0;
}

void BalancedEvents::begin_range() {
  inside_ = true;
  last_ = range_.begin_at_ns;
  changes_.cut_at_begin += open_.size();
  for (Event& each : open_) {
    each.time = range_.begin_at_ns;
    put(each, true);
  }
}

/// The range, from the chunk on that ends before it if it begins between two: that one knows what is open then.
events::TimeRange BalancedEvents::with_state(const events::TraceReader& reader, const events::TraceLocation& location,
                                             events::TimeRange range) {
  const size_t first = events::first_chunk(reader, location, range.begin_at_ns);
  if (!location.in_order || first == 0 || first == location.chunks.size()) return range;
  const auto header = [&](size_t at) { return reader.chunks()[location.chunks[at]].header; };
  if (header(first).begin_at_ns > range.begin_at_ns) range.begin_at_ns = header(first - 1).end_at_ns;
  return range;
}

/// No event is in the range, or none that can be read, but the location has some on both sides of it. What the next
/// chunk says is open is believed, as chunks between may be lost.
Status BalancedEvents::begin_between() {
  if (range_.begin_at_ns < location_->begin_at_ns || range_.end_at_ns >= location_->end_at_ns) return {};
  events::EventCursor behind(*reader_, *location_, {range_.end_at_ns + 1});
  HEADRACE_ASSIGN(const bool more, behind.next());
  const auto same = [](const Event& begin, uint32_t reference) { return begin.reference() == reference; };
  if (more && !std::equal(open_.begin(), open_.end(), behind.open().begin(), behind.open().end(), same))
    resume(behind.open(), range_.begin_at_ns);
  begin_range();
  return {};
}

void BalancedEvents::close_innermost(uint64_t at) {
  const Event& begin = open_.back();
  const EventKind kind = begin.kind() == EventKind::kEnter ? EventKind::kLeave : EventKind::kIoEnd;
  put({at, 0, 0, model::kind_and_reference(kind, begin.reference()), begin.other}, true);
  open_.pop_back();
}

Event BalancedEvents::begin_of(uint32_t reference, uint64_t at) const {
  const bool operation = reader_->references()[reference].kind == "function";
  return {at, 0, operation ? model::kUnknownPlace : 0,
          model::kind_and_reference(operation ? EventKind::kIoBegin : EventKind::kEnter, reference), 0};
}

void BalancedEvents::put(Event event, bool made) {
  if (!inside_) return;
  if (event.time < last_) {
    changes_.moved += !made;
    event.time = last_;
  }
  last_ = event.time;
  events_.push_back({event, made});
}

}  // namespace headrace::convert
