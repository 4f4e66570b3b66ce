#include "events/file_totals.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "events/event_cursor.h"
#include "events/trace_names.h"

namespace headrace::events {

using base::Result;
using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

struct Moved {
  uint64_t read = 0, written = 0;
};
using ByHandle = std::unordered_map<std::pair<uint64_t, uint32_t>, Moved, PairHash>;

bool is_of_system(const Reference& what) { return what.layer == "posix" || what.layer == "stdio"; }

void add(const TraceReader& trace, uint64_t process, const Event& event, ByHandle& to) {
  if (event.kind() != EventKind::kIoEnd || event.size == 0) return;
  const Reference& what = trace.references()[event.reference()];
  if (!is_of_system(what)) return;
  Moved& moved = to[{process, event.other}];
  if (what.time_class == TimeClass::kRead) moved.read += event.size;
  if (what.time_class == TimeClass::kWrite) moved.written += event.size;
}

}  // namespace

Result<std::vector<FileTotals>> file_totals(TraceReader& trace) {
  ByHandle by_handle;
  for (const TraceLocation& location : trace.locations()) {
    EventCursor cursor(trace, location);
    while (true) {
      HEADRACE_ASSIGN(const bool more, cursor.next());
      if (!more) break;
      for (const Event& event : cursor.events()) add(trace, location.what.process, event, by_handle);
    }
  }
  // A path may have several handles.
  std::map<std::pair<uint64_t, std::string>, Moved> by_path;
  for (const auto& [key, moved] : by_handle) {
    Moved& sum = by_path[{key.first, trace.handle(key.first, key.second)}];
    sum.read += moved.read;
    sum.written += moved.written;
  }
  std::vector<FileTotals> totals;
  for (const auto& [key, moved] : by_path) totals.push_back({key.first, key.second, moved.read, moved.written});
  return totals;
}

}  // namespace headrace::events
