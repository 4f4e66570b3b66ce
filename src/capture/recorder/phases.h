// Phases of the program, such as "dump": what the process did between their begin and their end.
//
// A phase costs nothing while it is open: its figures are the difference of what the process had counted
// (phase_layout.h). Phases nest by thread, and count what all threads did. At most kOpenPhases are open at once, and at
// most 256 have figures of their own; what is beyond is counted as lost.
#pragma once
#include "capture/phase_layout.h"
#include "capture/recorder/state.h"

namespace headrace::capture {

/// The program enters or leaves a phase. Any thread; not in signal handlers. `name` null: leave the innermost one of
/// this thread. Preserve errno.
void begin_phase(const char* name);
void end_phase(const char* name);

/// From now on nothing is recorded while no phase is open (`--capture phases`). Before the first call is counted.
void record_phases_only();

/// The calling thread ends, and what it left open with it.
void end_phases_of_thread();

/// The phase of this path, such as "step/dump"; null: the process was never in it. With the lock held.
const Phase* known_phase(const char* path);

/// A new spool: nothing is open.
void reset_phases();

}  // namespace headrace::capture
