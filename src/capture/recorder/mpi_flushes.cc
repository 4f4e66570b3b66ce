#include "capture/recorder/mpi_flushes.h"

#include "base/clock.h"
#include "capture/recorder/flush.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/mpi_communicators.h"
#include "capture/recorder/mpi_ours.h"
#include "capture/recorder/process.h"
#include "capture/recorder/rank_registry.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/update.h"

namespace headrace::capture::mpi {

bool flushes_together;

namespace {

RankRegistry flush_registry(".sync");
bool in_flush_registry;
bool world_alone;  // threads may call MPI at the same time
bool in_vain;      // a flush gave no room
std::atomic<uint32_t> meetings;

// MPI may still use them when the patience has ended.
uint64_t told[3], heard[3];
uint8_t has_little, some_have_little, is_done, all_are_done;

const FlushTogether& wanted() { return settings_in_force().trace_together; }

/// MPI_THREAD_MULTIPLE is 3, and 4096 in the standard's own binary interface.
bool threads_at_once(const Library& m) {
  int level = 3;
  return !m.query_thread || m.query_thread(&level) != 0 || level == 3 || level >= 4096;
}

/// Why ranks do not flush together; null: they do. What decides before the communicator is made is the same at all
/// ranks of a node.
const char* flush_obstacle(const Library& m) {
  constexpr const char* kUnknown = "this MPI is not known";
  if (spool.header->ranks < 2) return nullptr;
  if (!in_flush_registry) return "what started the ranks cannot be told";
  if (flush_registry.length() != ranks_here(m)) return "not all ranks of this node are traced in this way";
  if (!m.known || !m.byte_type || !m.bitwise_or || !m.errors_return) return kUnknown;
  if (!look_up_ours(m.code)) return kUnknown;
  if (!make_ours(m)) return "not all ranks came";
  told[0] = uint64_t{wanted().every} << 8 | wanted().percent;
  told[1] = ~told[0];
  told[2] = world_alone;  // each rank may have asked for another level of threads
  if (!combine(m, told, heard, sizeof told, settings_in_force().patience_ns)) return "not all ranks answered";
  // Ones of both come only from ranks that differ.
  if ((heard[0] & heard[1]) != 0) return "ranks have different settings";
  world_alone = heard[2] != 0;
  flushes_together = true;
  return nullptr;
}

bool is_over_all(Handle comm) {
  const Library& m = found_library();
  if (clean(m, comm) == m.world) return true;
  return !world_alone && is_of_all(comm);
}

/// Something to do with events, in a section.
template <typename What>
void with_events(What what) {
  Update update;
  if (in_vfork_child() || !update.enter_anew()) return;
  what();
  update.leave();
}

void stop(const char* why) {
  flushes_together = false;
  with_events([why] { flushes_alone(why); });
}

/// All ranks store what they have, and wait for the last.
void flush_and_wait(const Library& m, uint64_t patience_ns) {
  const uint32_t before = event_file_fill();
  with_events([] { flush_early(); });
  in_vain = has_little && event_file_fill() >= before;
  const uint64_t began = base::ticks();
  const bool met = combine(m, &is_done, &all_are_done, 1, patience_ns + kLongestFlushNs);
  with_events([began] { record_tracing(TracingStep::kBarrier, began, base::ticks(), 0); });
  if (!met) stop("a rank did not come back from its flush");
}

}  // namespace

void register_for_flushes() {
  if (frame != 0 || !ready() || !spool.backed || !state.tracing || wanted().every == 0) return;
  const Launch launch = launch_of_environment();
  if (!launch.known || launch.ranks < 2) return;
  flush_registry.choose(launch);
  flush_registry.leave_mark();
  in_flush_registry = flush_registry.add(1);
}

void agree_on_flushes(const Library& m) {
  if (!ready() || wanted().every == 0) return;
  Outermost own(&frame);
  world_alone = threads_at_once(m);
  if (const char* why = flush_obstacle(m)) stop(why);
  if (flushes_together) flush_registry.leave();  // all have read it
}

void meet(Handle comm) {
  const FlushTogether& when = wanted();
  if (in_vfork_child() || !is_over_all(comm) || ++meetings % when.every != 0) return;
  const Library& m = found_library();
  const uint64_t patience_ns = settings_in_force().patience_ns, began = base::ticks();
  has_little = !in_vain && event_file_fill() >= when.percent;
  const bool met = combine(m, &has_little, &some_have_little, 1, patience_ns);
  with_events([began] { record_tracing(TracingStep::kCheck, began, base::ticks(), 0); });
  if (!met)
    stop("a rank did not come to a collective operation of all, or came to fewer");
  else if (some_have_little)
    flush_and_wait(m, patience_ns);
}

void end_flushes() {
  if (in_flush_registry) flush_registry.leave();
  flushes_together = false;
}

}  // namespace headrace::capture::mpi
