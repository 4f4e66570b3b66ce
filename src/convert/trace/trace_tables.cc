#include "convert/trace/trace_tables.h"

namespace headrace::convert {

using base::Result;
using model::Event;
using model::EventKind;

Result<TableRows> TraceTables::next(size_t most) {
  TableRows rows;
  while (rows.size() < most && at_ < locations_.size()) {
    const events::TraceLocation& location = trace_->locations()[locations_[at_]];
    if (!events_) events_ = std::make_unique<BalancedEvents>(*trace_, location, range_);
    HEADRACE_ASSIGN(const bool more, events_->next());
    for (const BalancedEvent& event : events_->events()) take(event, rows);
    if (more) continue;
    exported_.changes.add(events_->changes());
    events_.reset();
    ++at_;
  }
  exported_.records += rows.size();
  return rows;
}

void TraceTables::take(const BalancedEvent& balanced, TableRows& rows) {
  const Event& event = balanced.event;
  const uint32_t location = locations_[at_], what = event.reference();
  exported_.events += !balanced.made;
  switch (event.kind()) {
    case EventKind::kEnter:
    case EventKind::kIoBegin:
      open_.push_back({event, balanced.made});
      break;
    case EventKind::kLeave:
    case EventKind::kIoEnd:
      end(balanced, rows);
      break;
    case EventKind::kSend:
    case EventKind::kReceive:
      rows.messages.push_back(
          {location, what, event.other, event.time, event.place, event.size, event.kind() == EventKind::kSend});
      break;
    case EventKind::kCollective:
      rows.collectives.push_back({location, what, event.other, event.time, event.size, event.place});
      break;
    case EventKind::kCounter:
      rows.counters.push_back({location, what, event.time, event.size});
      break;
  }
}

void TraceTables::end(const BalancedEvent& balanced, TableRows& rows) {
  const Event& event = balanced.event;
  const auto [begin, made] = open_.back();
  open_.pop_back();
  const bool operation = event.kind() == EventKind::kIoEnd;
  // A begin that is made without having been seen says nothing.
  const bool asked = operation && !(made && begin.size == 0 && begin.other == 0);
  const uint32_t handle = operation ? (begin.other != 0 ? begin.other : event.other) : 0;
  if (handle != 0) handles_.emplace(trace_->locations()[locations_[at_]].what.process, handle);
  rows.spans.push_back({.location = locations_[at_],
                        .function = event.reference(),
                        .depth = static_cast<uint32_t>(open_.size()),
                        .handle = handle,
                        .begin_ns = begin.time,
                        .duration_ns = event.time - begin.time,
                        .size = asked ? begin.size : kNothing,
                        .offset = asked ? begin.place : kNothing,
                        .moved = balanced.made ? kNothing : event.size,
                        .error = operation ? static_cast<uint32_t>(event.place) : 0,
                        .whole = !made && !balanced.made});
}

}  // namespace headrace::convert
