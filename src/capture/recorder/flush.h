// Stores events while the program runs: when there is no more room for them, a flusher takes what is there, and the
// memory is used again (flush_layout.h). docs/decisions/0006-flushes.md says why so.
#pragma once
#include "capture/recorder/events.h"

namespace headrace::capture {

/// How many flushes there were; told before a thread asks for another one, so that threads that find no room at the
/// same time ask for one.
uint32_t flushes_so_far();

/// Makes room in the file of events, if no other thread has since `before`: all other threads wait meanwhile. False:
/// there is none, now or ever. Inside a section, not inside the lock.
HEADRACE_COLD bool flush_events(uint32_t before);

/// Nothing is stored any more in this process image: in a child of fork the next file is another one's.
void reset_flushes();

}  // namespace headrace::capture
