// What a trace has of calls that never came back: their begin, and a mark in their thread when the process ended.
#pragma once
#include <vector>

#include "capture/harvest/clock_map.h"
#include "capture/harvest/current_calls.h"
#include "capture/harvest/event_reader.h"
#include "model/process.h"

namespace headrace::capture {

/// Adds to `recorded` those of `calls` whose begin the trace does not have; where something was left out by wish only
/// those of threads that have something else.
void take_unfinished(const std::vector<UnfinishedCall>& calls, const model::Process& process, const ClockMap& clock,
                     RecordedEvents& recorded);

}  // namespace headrace::capture
