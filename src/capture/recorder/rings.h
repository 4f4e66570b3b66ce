// io_uring. What is submitted and completed stands in memory that a ring's descriptor maps: capture maps it once more
// and reads it before and after each call on the ring.
//
// Thread-safe; a signal handler that comes between looks at nothing. A forked child does not follow its parent's rings.
// All keep errno.
#pragma once
#include "capture/recorder/asynchronous.h"

namespace headrace::capture {

/// Whether there was ever a ring.
inline constinit std::atomic<bool> rings_met{false};

/// A ring was made. `parameters`: as the kernel filled them in.
HEADRACE_COLD void ring_made(int fd, const void* parameters);
/// Looks at what was submitted and completed. `start`: ticks, when the call began that submitted; `now`: when it ended.
void look_at_ring(int fd, uint64_t start, uint64_t now);
/// The same once a call on the ring is over, which counts. `error`: its error number, or 0.
void ring_used(Fn function, int fd, int error, Timed time);
/// The descriptor is about to be closed, or the ring cannot be followed any longer: what is under way is lost.
HEADRACE_COLD void ring_ends(int fd, bool goes_on = false);
HEADRACE_COLD void rings_end(uint32_t first, uint32_t last);
/// The image is about to end.
HEADRACE_COLD void look_at_all_rings(bool last);
/// The ring has `files` now from number `first` on; null: none. `whole`: and no others.
HEADRACE_COLD void ring_files(int fd, const int* files, uint32_t first, uint32_t count, bool whole);
HEADRACE_COLD void ring_registered(int fd, uint32_t operation, const void* argument, uint32_t count);

/// Whether the descriptor is that of a ring that is followed.
bool is_ring(int fd);

HEADRACE_INLINE void before_close(unsigned first, unsigned last) {
  if (HEADRACE_UNLIKELY(rings_met.load(std::memory_order_relaxed)) && !in_vfork_child()) rings_end(first, last);
}
HEADRACE_INLINE void before_close(int fd) { before_close(static_cast<unsigned>(fd), static_cast<unsigned>(fd)); }

}  // namespace headrace::capture
