#include "events/mpi_threads.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "events/event_cursor.h"

namespace headrace::events {

using base::Result;
using model::Event;
using model::EventKind;

namespace {

constexpr uint32_t kFirstThread = 1;

/// Other threads of a process, of those that were asked for, and its first one.
struct Threads {
  const TraceLocation* first = nullptr;
  std::vector<uint32_t> others = {};
  uint64_t last_begin_ns = 0;  // of the others
};

bool starts_mpi(const Reference& reference) {
  const std::string_view name = reference.name;
  return reference.layer == "mpi" && (name == "MPI_Init" || name == "MPI_Init_thread" || name == "MPI_Session_init");
}

/// Times in which a thread is in MPI_Init, of those that begin by `until_ns`.
Result<std::vector<TimeRange>> starts_of_mpi(TraceReader& trace, const TraceLocation& location, uint64_t until_ns) {
  std::vector<TimeRange> found;
  bool inside = false;
  EventCursor cursor(trace, location, {0, until_ns});
  while (true) {
    HEADRACE_ASSIGN(const bool more, cursor.next());
    if (!more) return found;
    for (const Event& event : cursor.events()) {
      if (event.kind() != EventKind::kEnter && event.kind() != EventKind::kLeave) continue;
      if (!starts_mpi(trace.references()[event.reference()])) continue;
      const bool enters = event.kind() == EventKind::kEnter;
      if (enters && !inside) found.push_back({event.time});
      if (!enters && inside) found.back().end_at_ns = event.time;
      inside = enters;
    }
  }
}

}  // namespace

Result<std::vector<uint32_t>> threads_of_mpi(TraceReader& trace, const std::vector<uint32_t>& locations) {
  std::unordered_map<uint64_t, Threads> processes;
  for (const uint32_t number : locations) {
    if (number >= trace.locations().size()) continue;
    const TraceLocation& location = trace.locations()[number];
    if (location.what.thread == kFirstThread || location.events == 0) continue;
    Threads& threads = processes[location.what.process];
    threads.others.push_back(number);
    threads.last_begin_ns = std::max(threads.last_begin_ns, location.begin_at_ns);
  }
  for (const TraceLocation& location : trace.locations()) {
    const auto chosen = processes.find(location.what.process);
    if (chosen != processes.end() && location.what.thread == kFirstThread) chosen->second.first = &location;
  }
  std::vector<uint32_t> found;
  for (const auto& [process, threads] : processes) {
    if (threads.first == nullptr) continue;
    HEADRACE_ASSIGN(const std::vector<TimeRange> starts, starts_of_mpi(trace, *threads.first, threads.last_begin_ns));
    for (const uint32_t number : threads.others)
      for (const TimeRange& start : starts)
        if (start.has(trace.locations()[number].begin_at_ns)) {
          found.push_back(number);
          break;
        }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace headrace::events
