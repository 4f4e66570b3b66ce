// What a trace says of the clock of a process's node (docs/formats/trace.md, table `clocks`).
#pragma once
#include <vector>

#include "capture/harvest/clock_map.h"
#include "capture/harvest/event_reader.h"
#include "events/trace_writer.h"

namespace headrace::capture {

/// The process's start, and what it measured. `clock`: by which its events were converted.
std::vector<events::ClockRow> clock_rows(uint64_t process, const Header& header, const RecordedEvents& recorded,
                                         const ClockMap& clock);

}  // namespace headrace::capture
