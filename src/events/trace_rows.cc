#include "events/trace_rows.h"

#include <utility>

namespace headrace::events {

using base::Result;
using base::Status;
using model::Event;
using model::EventKind;

Result<const TraceRow*> RowCursor::next() {
  if (given_) {
    rows_.pop_front();
    first_++;
    given_ = false;
  }
  while (first_ == ready_ && !done_) HEADRACE_TRY(load());
  given_ = first_ < ready_;
  return given_ ? &rows_.front() : nullptr;
}

Status RowCursor::load() {
  ready_ = first_ + rows_.size();
  HEADRACE_ASSIGN(const bool more, cursor_.next());
  done_ = !more;
  if (!more) return {};
  if (cursor_.gap()) stack_.restart(cursor_.open());
  for (const Event& event : cursor_.events()) take(event);
  return {};
}

void RowCursor::take(const Event& event) {
  if (is_end(event.kind())) return end(event);
  const bool shown = range_.has(event.time);
  if (is_begin(event.kind())) {
    const bool whole = shown && event.kind() == EventKind::kIoBegin;
    stack_.enter({event.reference(), event.time, whole ? first_ + rows_.size() : OpenSpan::kNotSeen});
  }
  if (shown) rows_.push_back({event});
}

void RowCursor::end(const Event& event) {
  OpenSpan span;
  const SpanStack::Left left = stack_.leave(event.reference(), span);
  const bool known =
      (left == SpanStack::Left::kInnermost || left == SpanStack::Left::kOuter) && span.begin_at_ns <= event.time;
  const uint64_t duration = known ? event.time - span.begin_at_ns : kNoDuration;
  // A row that was given cannot change any more.
  if (known && event.kind() == EventKind::kIoEnd && span.row != OpenSpan::kNotSeen && span.row >= first_) {
    TraceRow& row = rows_[span.row - first_];
    row.duration_ns = duration;
    row.moved = event.size;
    if (row.event.other == 0) row.event.other = event.other;  // an end may know more
    row.error = static_cast<uint32_t>(event.place);
  } else if (range_.has(event.time)) {
    rows_.push_back({event, duration});
  }
}

TraceRows::TraceRows(TraceReader& reader, std::vector<uint32_t> locations, TimeRange range)
    : reader_(&reader),
      locations_(std::move(locations)),
      range_(range),
      together_(locations_.size() <= kMerged ? locations_.size() : 1) {}

Result<const TraceRow*> TraceRows::next() {
  if (last_ != kNone) HEADRACE_TRY(advance(std::exchange(last_, kNone)));
  while (waiting_.empty() && at_ < locations_.size()) HEADRACE_TRY(open_more());
  if (waiting_.empty()) return nullptr;
  last_ = waiting_.top().place;
  waiting_.pop();
  now_ = open_[last_].location;
  return open_[last_].row;
}

Status TraceRows::open_more() {
  open_.clear();
  for (size_t i = 0; i < together_ && at_ < locations_.size(); ++i, ++at_) {
    const TraceLocation& location = reader_->locations()[locations_[at_]];
    open_.push_back({locations_[at_], std::make_unique<RowCursor>(*reader_, location, range_)});
  }
  for (uint32_t place = 0; place < open_.size(); ++place) HEADRACE_TRY(advance(place));
  return {};
}

Status TraceRows::advance(uint32_t place) {
  HEADRACE_ASSIGN(open_[place].row, open_[place].cursor->next());
  if (open_[place].row != nullptr)
    waiting_.push({open_[place].row->event.time, place});
  else
    open_[place].cursor.reset();
  return {};
}

}  // namespace headrace::events
