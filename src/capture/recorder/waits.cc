#include "capture/recorder/waits.h"

#include <errno.h>

#include "base/clock.h"
#include "capture/recorder/events.h"
#include "capture/recorder/trace_choice.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

uint64_t now() { return base::ticks(); }

/// The C library allocates for the values of keys that come late, and the program may be inside of its allocator.
bool may_begin() { return self || !starting_allocates(); }

void record(WaitFn function, uint64_t start, uint64_t end) {
  const auto number = static_cast<Fn>(function);
  if (state.paused.load(std::memory_order_relaxed)) return leave_out(Account::kPhase);
  if (!state.choosy || !leaves_out(RawKind::kWait, number, start, end))
    record_always({start, end, 0, 0, 0, 0, static_cast<uint16_t>(function), RawKind::kWait, 0});
}

void waited(WaitFn function, uint64_t start, bool perhaps) {
  const uint64_t end = base::ticks();
  if (!state.tracing || in_vfork_child() || (perhaps && end - start < ticks_of(kNoWaitNs))) return;
  const int saved = errno;
  Update update;
  if (ready() && may_begin() && update.enter()) {
    record(function, start, end);
    update.leave();
  } else if (block) {
    __atomic_fetch_add(&block->accounts[static_cast<uint32_t>(Account::kInterrupted)], 1, __ATOMIC_RELAXED);
  }
  errno = saved;
}

constinit const WaitCalls calls = {now, waited};

}  // namespace

const WaitCalls* wait_calls() { return &calls; }

}  // namespace headrace::capture
