#include "capture/recorder/open_calls.h"

#include <algorithm>

#include "capture/flush_layout.h"
#include "capture/recorder/events.h"
#include "capture/recorder/trace_choice.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

using intercept::LibraryFn;

namespace {

uint16_t number_of_call(LibraryFn function) {
  return static_cast<uint16_t>(static_cast<uint32_t>(function) | kLibraryFunction);
}

/// A call that was left by a jump and of which the trace has the begin gets its end. Nobody knows what it did, so it
/// did not succeed. Inside a section.
void leave_open(const CurrentCall& call) {
  const uint64_t now = base::ticks();
  if (call.told) record_always({now, now, 0, 0, 0, 0, call.function, RawKind::kLibraryEnd, kUnknownError});
}

/// Those above `depth` were left by a jump. Inside a section.
void drop_above(uint32_t depth) {
  while (block->in_calls > depth) leave_open(block->calls[--block->in_calls]);
}

}  // namespace

uint32_t drop_left_calls(ThreadBlock* mine, uintptr_t frame) {
  const uint32_t before = std::min(mine->in_calls, kCurrentCalls);
  uint32_t depth = before;
  bool told = false;
  if (is_on_alternate_stack()) return before;                          // of a handler, wherever that lies
  for (; depth > 0 && mine->calls[depth - 1].frame <= frame; --depth)  // stacks grow down: that one's frame is gone
    told |= mine->calls[depth - 1].told != 0;
  if (told) {
    Update update;
    if (!self || !update.enter()) return before;
    drop_above(depth);
    update.leave();
  }
  __atomic_store_n(&mine->in_calls, depth, __ATOMIC_RELEASE);  // before the place of the first is written anew
  return depth;
}

void record_library_call(LibraryFn function, Timed time, bool ok, uint64_t bytes, const OnFile& on) {
  uint32_t depth = block->in_calls;
  const CurrentCall* calls = block->calls;
  while (depth > 0 && (calls[depth - 1].start != time.start || calls[depth - 1].function != number_of_call(function)))
    --depth;
  if (depth > 0) drop_above(depth);
  const bool is_begun = depth > 0 && calls[depth - 1].told;
  if (HEADRACE_UNLIKELY(state.choosy) && !is_begun &&
      leaves_out(RawKind::kLibrary, static_cast<Fn>(number_of_call(function)), time.start, time.end)) {
    if (depth > 0) block->in_calls = depth - 1;
    return;
  }
  EventBlock* mine = room_for_event();  // here what came before may be stored, and this call's begin be told
  const bool told = depth > 0 && calls[depth - 1].told;
  if (depth > 0) block->in_calls = depth - 1;
  if (!mine) return;
  commit_event(mine,
               {time.start, time.end, on.place, std::max(on.asked, bytes), bytes, on.handle, number_of_call(function),
                told ? RawKind::kLibraryEnd : RawKind::kLibrary, ok ? uint8_t{0} : kUnknownError});
}

void list_open_calls(FlushHeader* to) {
  to->open_count = 0;
  const uint64_t now = base::ticks();
  for (Thread* thread = state.threads.load(); thread; thread = thread->next) {
    if (!thread->block || thread->regions.waiting != 0)
      continue;  // their begin comes first, and nothing in these calls is recorded yet
    const uint32_t depth = std::min(__atomic_load_n(&thread->block->in_calls, __ATOMIC_ACQUIRE), kCurrentCalls);
    for (uint32_t i = 0; i < depth && to->open_count < kMostOpenCalls; ++i) {
      CurrentCall& call = thread->block->calls[i];
      if ((call.function & kLibraryFunction) == 0) continue;  // nothing is recorded inside of these
      if (call.told || is_left_out(RawKind::kLibrary, static_cast<Fn>(call.function), call.start, now)) continue;
      call.told = 1;
      to->open[to->open_count++] = {call.start, thread->number, call.function};
    }
  }
}

}  // namespace headrace::capture
