#pragma once
// What the events of a trace add up to.

#include <array>
#include <vector>

#include "events/call_filter.h"
#include "events/event_cursor.h"
#include "events/file_figures.h"
#include "events/trace_reader.h"

namespace headrace::events {

/// Of a function or region.
struct SpanFigures {
  uint64_t calls = 0;       // that ended
  uint64_t unfinished = 0;  // that began, and of which no end is there
  uint64_t errors = 0;
  uint64_t bytes = 0;    // moved, or handed to it: of ends, not of messages inside
  uint64_t time_ns = 0;  // from begin to end, of those of which both are there; of what calls itself, of the outermost
  uint64_t own_ns = 0;   // of that, while nothing else was open inside
  uint64_t longest_ns = 0;
};

struct Traffic {
  uint64_t sends = 0, sent = 0;  // messages, and bytes
  uint64_t receives = 0, received = 0;
  uint64_t collectives = 0;
};

struct TraceStats {
  uint64_t events = 0;  // that could be read
  std::array<uint64_t, model::kEventKinds> kinds{};
  std::vector<SpanFigures> spans;  // by reference
  /// Time of all locations between their first and last event, each ns in the innermost span; not where events are
  /// missing.
  std::array<uint64_t, model::kTimeClasses> class_ns{};
  Traffic traffic;
  std::vector<FileFigures> files;  // if asked for
};

/// Which calls count in `spans` and `files`. All else is of all events.
struct StatsOptions {
  CallChoice calls = {};
  bool files = false;
};

/// Of these locations, in TraceReader::locations(). Events count that are in the range, and of times what is in it:
/// also of what began before it, and of what goes on behind it, which counts as unfinished. Decodes what the range
/// touches. kIo.
base::Result<TraceStats> add_up(TraceReader& trace, const std::vector<uint32_t>& locations, TimeRange range = {},
                                const StatsOptions& options = {});

/// Of all.
base::Result<TraceStats> add_up(TraceReader& trace);

}  // namespace headrace::events
