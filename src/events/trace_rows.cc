#include "events/trace_rows.h"

#include <algorithm>
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
  if (piece_ < kMostEvents) return load_piece();
  ready_ = first_ + rows_.size();
  HEADRACE_ASSIGN(const bool more, cursor_.next());
  done_ = !more;
  if (!more) return {};
  if (cursor_.gap()) stack_.restart(cursor_.open());
  for (const Event& event : cursor_.events()) take(event);
  return {};
}

/// What follows on it is decoded only to look for ends, and not kept.
Status RowCursor::load_piece() {
  if (taken_ == in_chunk_) {
    HEADRACE_ASSIGN(const bool more, cursor_.next());
    done_ = !more;
    if (!more) return {};
    if (cursor_.gap()) stack_.restart(cursor_.open());
    taken_ = 0;
    in_chunk_ = cursor_.events().size();
  } else {
    HEADRACE_TRY(cursor_.read_again());
  }
  const std::span<const Event> events = cursor_.events();
  for (const size_t end = std::min(taken_ + piece_, events.size()); taken_ < end; ++taken_) take(events[taken_]);
  ready_ = first_ + rows_.size();
  HEADRACE_TRY(look_ahead());
  cursor_.release();
  return {};
}

/// As far as the end of the next chunk.
Status RowCursor::look_ahead() {
  SpanStack ahead = stack_;
  const auto is_open = [&](const OpenSpan& span) { return span.row >= first_ && span.row < ready_; };
  auto open = static_cast<size_t>(std::count_if(ahead.spans().begin(), ahead.spans().end(), is_open));
  if (open == 0 || close_ahead(ahead, cursor_.events().subspan(taken_), open)) return {};
  cursor_.release();  // a copy would have these, too
  EventCursor behind = cursor_;
  HEADRACE_ASSIGN(const bool more, behind.next());
  if (more && !behind.gap()) close_ahead(ahead, behind.events(), open);
  return {};
}

/// Whether all that was open is closed.
bool RowCursor::close_ahead(SpanStack& ahead, std::span<const Event> events, size_t& open) {
  for (const Event& event : events) {
    if (is_begin(event.kind())) ahead.enter({event.reference(), event.time});
    if (!is_end(event.kind())) continue;
    OpenSpan span;
    const SpanStack::Left left = ahead.leave(event.reference(), span);
    const bool known = left == SpanStack::Left::kInnermost || left == SpanStack::Left::kOuter;
    if (!known || span.row < first_ || span.row >= ready_) continue;
    if (event.kind() == EventKind::kIoEnd && span.begin_at_ns <= event.time) {
      close(span.row, event, event.time - span.begin_at_ns);
      stack_.set_shown(span.row);
    }
    if (--open == 0) return true;
  }
  return false;
}

void RowCursor::close(uint64_t number, const Event& event, uint64_t duration) {
  TraceRow& row = rows_[number - first_];
  row.duration_ns = duration;
  row.moved = event.size;
  if (row.event.other == 0) row.event.other = event.other;  // an end may know more
  row.error = static_cast<uint32_t>(event.place);
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
  if (known && event.kind() == EventKind::kIoEnd && span.row == OpenSpan::kShown) return;
  // A row that was given cannot change any more.
  if (known && event.kind() == EventKind::kIoEnd && span.row != OpenSpan::kNotSeen && span.row >= first_) {
    close(span.row, event, duration);
  } else if (range_.has(event.time)) {
    rows_.push_back({event, duration});
  }
}

namespace {

/// The rows that a chunk of it may have, at most.
size_t most_rows_of(const TraceReader& reader, const TraceLocation& location) {
  uint64_t most = 0;
  for (const uint32_t chunk : location.chunks) most = std::max<uint64_t>(most, reader.chunks()[chunk].header.rows);
  return std::min<uint64_t>(most, kMostEvents);
}

/// Nothing of a location is before.
uint64_t begin_of(const TraceReader& reader, const TraceLocation& location, TimeRange range) {
  uint64_t begin = ~uint64_t{0};
  const size_t from = first_chunk(reader, location, range.begin_at_ns);
  const size_t to = location.in_order ? std::min(from + 1, location.chunks.size()) : location.chunks.size();
  for (size_t i = from; i < to; ++i) begin = std::min(begin, reader.chunks()[location.chunks[i]].header.begin_at_ns);
  return std::max(begin, range.begin_at_ns);
}

}  // namespace

TraceRows::TraceRows(TraceReader& reader, std::vector<uint32_t> locations, TimeRange range, size_t most_rows)
    : reader_(&reader), range_(range) {
  for (const uint32_t location : locations) open_.push_back({location, nullptr});
  choose_piece(most_rows);
  for (uint32_t place = 0; place < open_.size(); ++place)
    waiting_.push({begin_of(reader, reader.locations()[open_[place].location], range), place});
}

/// A whole cursor has the rows of two chunks.
void TraceRows::choose_piece(size_t most_rows) {
  std::vector<size_t> rows;
  for (const Open& each : open_) rows.push_back(most_rows_of(*reader_, reader_->locations()[each.location]));
  const auto sum = [&](size_t most) {
    size_t all = 0;
    for (const size_t each : rows) all += std::min(each, most);
    return all;
  };
  piece_ = kMostEvents;
  if (2 * sum(kMostEvents) <= most_rows) return;
  while (piece_ > 1 && sum(piece_) > most_rows) piece_ /= 2;
  if (piece_ == kMostEvents) piece_ /= 2;
}

Result<const TraceRow*> TraceRows::next() {
  if (last_ != kNone) HEADRACE_TRY(advance(std::exchange(last_, kNone)));
  while (!waiting_.empty()) {
    const uint32_t place = waiting_.top().place;
    waiting_.pop();
    Open& earliest = open_[place];
    if (earliest.row != nullptr) {
      last_ = place;
      now_ = earliest.location;
      return earliest.row;
    }
    earliest.cursor = std::make_unique<RowCursor>(*reader_, reader_->locations()[earliest.location], range_, piece_);
    HEADRACE_TRY(advance(place));
  }
  return nullptr;
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
