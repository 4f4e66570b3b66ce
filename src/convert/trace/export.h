#pragma once
// What is common to writing a trace in another format.

#include <functional>
#include <vector>

#include "convert/trace/balanced_events.h"

namespace headrace::convert {

struct ExportOptions {
  std::vector<uint32_t> locations;  // in TraceReader::locations()
  events::TimeRange range;
  std::function<bool(uint64_t)> go_on;  // told how many events are done; false ends it with kInvalid
};

struct Exported {
  uint64_t events = 0;   // of the trace, that were written
  uint64_t records = 0;  // of the other format that they became
  Changes changes;
  uint64_t without_rank = 0;  // messages and collectives of threads, or with ranks, that the format cannot name
};

/// Calls `take(event)` for the events of a location in order, counts them, and asks go_on.
template <typename Take>
base::Status for_each_event(events::TraceReader& trace, uint32_t location, const ExportOptions& options,
                            Exported& exported, Take take) {
  BalancedEvents balanced(trace, trace.locations()[location], options.range);
  for (;;) {
    HEADRACE_ASSIGN(const bool more, balanced.next());
    if (!more) break;
    for (const BalancedEvent& event : balanced.events()) {
      exported.events += !event.made;
      take(event);
    }
    if (options.go_on && !options.go_on(exported.events)) return {base::Code::kInvalid, "interrupted"};
  }
  exported.changes.add(balanced.changes());
  return {};
}

}  // namespace headrace::convert
