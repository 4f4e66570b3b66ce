#include "capture/recorder/mpi_clocks.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "capture/recorder/events.h"
#include "capture/recorder/flush.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/mpi_ours.h"
#include "capture/recorder/process.h"
#include "capture/recorder/rank_registry.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/update.h"

namespace headrace::capture::mpi {
namespace {

RankRegistry clock_registry(".clocks");
bool in_clock_registry, all_are_here;

bool is_on_several_nodes(const Library& m) { return ranks_here(m) != spool.header->ranks; }

/// The same at all ranks, as far as a node can tell: one that turned back alone would leave the others in
/// MPI_Comm_idup. When the program begins, that must not come across its own operations. So ranks meet then only if one
/// launcher has started all of them, and none can be without capture because it was started in another way.
bool is_wanted(const Library& m, ClockWhen when) {
  const TraceClocks clocks = settings_in_force().trace_clocks;
  if (!all_are_here || is_ours_lost()) return false;
  if (clocks == TraceClocks::kAlways) return true;
  const bool started_together = settings_in_force().launched && !clock_registry.has_launchers();
  if (when == kClockAtStart && (clocks == TraceClocks::kEnd || !started_together)) return false;
  return is_on_several_nodes(m);
}

ClockReading node_clock() {
  const uint64_t clock_ns = base::clock_ns(CLOCK_MONOTONIC);
  return {clock_ns, base::ticks()};
}

ClockMeasurement measure(const Library& m) {
  ClockMeasurement found{};
  const auto measure_with_others = reinterpret_cast<ClockFunction>(function_of_library(kClockFunction));
  const EventFileHeader* file = event_file();
  const ClockRequest request = {kFinalizeVersion, access_to_ours(m), file ? file->node : 1, spool.path, node_clock};
  if (!measure_with_others || measure_with_others(&request, &found) != 0) {
    lose_ours();
    return {};
  }
  if (found.reference == 0) return {};
  const uint64_t awake = base::clock_ns(CLOCK_MONOTONIC), since_boot = base::clock_ns(CLOCK_BOOTTIME);
  found.utc_ns = base::clock_ns(CLOCK_REALTIME) - (awake - found.at.clock_ns);
  found.asleep_ns = since_boot > awake ? since_boot - awake : 0;
  return found;
}

/// Also what it took is in the trace.
void keep_reading(ClockWhen when, const ClockMeasurement& found, uint64_t began) {
  Update update;
  if (!update.enter()) return;
  if (EventFileHeader* file = event_file()) file->clocks[when] = found;
  record_tracing(TracingStep::kClocks, began, base::ticks(), 0);
  update.leave();
}

}  // namespace

void register_for_clocks() {
  const Settings& settings = settings_in_force();
  if (frame != 0 || !ready() || !spool.backed || !settings.trace) return;
  const Launch launch = launch_of_environment();
  if (!launch.known || launch.ranks < 2 || settings.trace_clocks == TraceClocks::kNever) return;
  clock_registry.choose(launch);
  clock_registry.leave_mark();
  in_clock_registry = clock_registry.add(1);
}

void measure_clocks(const Library& m, ClockWhen when) {
  if (in_vfork_child() || !ready() || !in_clock_registry || spool.header->ranks < 2) return;
  const int saved = errno;
  // All registered before any could leave MPI_Init.
  if (when == kClockAtStart)
    all_are_here =
        clock_registry.length() == ranks_here(m) && m.known && m.byte_type && m.errors_return && look_up_ours(m.code);
  if (is_wanted(m, when)) {
    Outermost own(&frame);
    const uint64_t began = base::ticks();
    const ClockMeasurement found = make_ours(m) ? measure(m) : ClockMeasurement{};
    keep_reading(when, found, began);
  }
  if (when == kClockAtEnd) clock_registry.leave();
  errno = saved;
}

}  // namespace headrace::capture::mpi
