#include "capture/recorder/server_waits.h"

#include <algorithm>

namespace headrace::capture {
namespace {

__thread uint64_t last_end __attribute__((tls_model("initial-exec")));

LibraryFn row(LibraryFn whole, uint16_t which) { return static_cast<LibraryFn>(static_cast<uint16_t>(whole) + which); }

}  // namespace

void server_answered(LibraryFn whole, bool ok, uint64_t bytes, Timed time, uint64_t waited, uint64_t worked) {
  if (state.paused.load(std::memory_order_relaxed)) return;
  time.start = std::min(std::max(time.start, last_end), time.end);
  last_end = time.end;
  // Nobody knows how long each way took, so both took the same.
  worked = std::min(worked, time.spent());
  waited = std::min(waited, time.spent() - worked);
  const uint64_t back = (time.spent() - worked - waited) / 2;
  const uint64_t done = time.end - back, begun = done - worked;
  part_of_call(row(whole, 1), true, 0, {begun - waited, begun}, 0);
  part_of_call(row(whole, 2), ok, bytes, {begun, done}, 0);
  part_of_call(whole, ok, bytes, time, waited + worked);
}

}  // namespace headrace::capture
