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

/// Longest time of a flush.
inline constexpr uint64_t kLongestFlushNs = 63'000'000'000;

/// Stores what is there before the file is full, if that can be done and there is anything. Inside a section, not
/// inside the lock.
HEADRACE_COLD void flush_early();

/// What tracing took time for, as an event of this thread. Inside a section, not inside the lock.
void record_tracing(TracingStep step, uint64_t start, uint64_t end, uint64_t bytes);

/// Ranks do not flush together (any more) though that is wanted: the trace tells why. Inside a section.
void flushes_alone(const char* why);

/// Nothing is stored any more in this process image: in a child of fork the next file is another one's.
void reset_flushes();

}  // namespace headrace::capture
