#pragma once
// The events of a location that are no begins and ends, each with the call that it is in.

#include "events/event_cursor.h"
#include "events/span_stack.h"

namespace headrace::events {

/// Calls take(event, span, whole): `span` is the innermost call or region around it, or null; its begin is
/// OpenSpan::kNotSeen where that is not in the trace. `whole`: no events of the location are missing up to here.
/// Decodes all of them. kIo.
template <typename Take>
base::Status for_each_in_its_call(TraceReader& trace, const TraceLocation& location, Take take) {
  SpanStack stack;
  EventCursor cursor(trace, location);
  bool whole = true;
  while (true) {
    HEADRACE_ASSIGN(const bool more, cursor.next());
    if (!more) return {};
    if (cursor.gap()) stack.restart(cursor.open());
    whole = whole && !cursor.gap();
    for (const model::Event& event : cursor.events()) {
      OpenSpan left;
      if (is_begin(event.kind()))
        stack.enter({.reference = event.reference(), .begin_at_ns = event.time});
      else if (is_end(event.kind()))
        stack.leave(event.reference(), left);
      else
        take(event, stack.innermost(), whole);
    }
  }
}

/// Not a region of the program around messages whose calls are not in the trace.
inline bool is_call_of_mpi(const TraceReader& trace, const OpenSpan* span) {
  if (span == nullptr) return false;
  const model::TimeClass what = trace.references()[span->reference].time_class;
  return what == model::TimeClass::kMessages || what == model::TimeClass::kCollective;
}

}  // namespace headrace::events
