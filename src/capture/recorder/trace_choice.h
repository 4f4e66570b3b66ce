// Which calls and regions are recorded as events, of those that are made (trace_filter.h). What is left out is counted,
// by reason (trace_accounts.h).
#pragma once
#include "capture/event_layout.h"
#include "capture/recorder/regions.h"
#include "capture/recorder/state.h"
#include "capture/trace_filter.h"

namespace headrace::capture {

/// Reasons why nothing at all is recorded now: bits of State::closed.
enum Closed : uint32_t { kClosedByProgram = 1, kClosedByRank = 2, kClosedByPhase = 4 };

/// From now on these are recorded alone. Before the first event.
void choose_events(const TraceFilter& filter);
const TraceFilter& trace_filter();
/// The filter as facts of traces have it; its length. "" where it leaves nothing out.
uint32_t describe_filter(char* text, uint32_t capacity);

/// This is a rank of a parallel program.
void choose_by_rank(int rank);
/// A phase is open, whose path is `path`: whether its instances are asked for by name, and this one is. Lock held.
bool choose_phase(const char* path, uint64_t instance);
/// One that is was closed. Lock held.
void close_chosen_phase();
/// No phase is open, as in a new process image.
void forget_chosen_phases();

/// Opens or closes recording for one of the reasons above.
void set_closed(Closed reason, bool closed);

/// Whether calls of a layer are recorded, as long as nothing else speaks against it.
bool is_chosen(Layer layer);
/// Why nothing is recorded now, of State::closed that is not 0.
Account why_closed(uint32_t closed);
/// Whether calls of this name are left out, by kind of module: Account + 1, or 0 where they are not.
uint8_t left_out_by_name(TraceModule module, const char* name);
/// The same of what was asked for by itself.
uint8_t left_out_by_pattern(const char* name);
/// Whether a call that is open is, if it ends at `end`. Counts nothing.
bool is_left_out(RawKind kind, Fn function, uint64_t start, uint64_t end);
/// About as many ticks: exact to a per mille from the first tens of microseconds of this process on.
uint64_t ticks_of(uint64_t ns);
/// As long as what must be left out for being short: ticks.
uint64_t least_ticks();

}  // namespace headrace::capture
