#include "capture/recorder/flush.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "capture/flush_layout.h"
#include "capture/recorder/flusher.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/open_calls.h"
#include "capture/recorder/process.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {
namespace {

constexpr uint64_t kFlushPatienceNs =
    kLongestFlushNs - 3'000'000'000;  // a file system that hangs for longer has other troubles
constexpr int kStops = 20;            // of 0.1 s

uint32_t flushes;  // of this process image; changed with the lock held
long filters_at_start;

/// How many filters of system calls this process has; 0: none. A filter that the program itself sets up may kill it for
/// the calls that start a flusher.
long filters() {
  const long mode = base::kernel_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0);
  if (mode != SECCOMP_MODE_FILTER) return mode;
  static HEADRACE_LARGE char text[4096];  // under the lock, or before other threads
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return -1;
  const long length = base::kernel_call(SYS_read, fd, text, sizeof text - 1);
  base::kernel_call(SYS_close, fd);
  text[length > 0 ? length : 0] = 0;
  const char* line = strstr(text, "\nSeccomp_filters:");
  long number = 0;
  for (const char* digit = line ? line + strcspn(line + 1, "0123456789\n") + 1 : ""; *digit >= '0' && *digit <= '9';)
    number = number * 10 + (*digit++ - '0');
  return number + 1;
}

/// Why there can be no flush; null: there can be one.
const char* hindrance() {
  const Settings& settings = settings_in_force();
  if (settings.trace_flush == TraceFlush::kEnd)
    return "that is for the end alone (--trace-flush end): leave it out, or give more with --trace-memory";
  if (settings.trace_flushes != 0 && flushes >= settings.trace_flushes)
    return "more flushes are not wanted (--trace-flushes)";
  if (!settings.flusher[0]) return "the headrace command, which stores it, cannot be found from this process";
  if (filters() != filters_at_start) return "the program forbids itself the calls that start another one (seccomp)";
  return nullptr;
}

bool stop_the_others() {
  for (int i = 0; i < kStops; ++i)
    if (stop_world()) return true;
  return false;
}

const char* reason_of(FlusherEnd end) {
  if (flush_header()->why[0]) return nullptr;  // the flusher has said it
  switch (end) {
    case FlusherEnd::kNotStarted:
      return "the headrace command, which stores it, could not be started";
    case FlusherEnd::kTooLate:
      return "storing it took longer than a minute";
    default:
      return "the headrace command, which stores it, was ended";
  }
}

/// What the flusher did, and the whole.
void record_flush(const FlushTold& told, uint64_t began) {
  if (!begin_emptied_events()) return;
  record_tracing(TracingStep::kFlush, began, base::ticks(), told.bytes);
  constexpr TracingStep kSteps[] = {TracingStep::kOpen, TracingStep::kWrite, TracingStep::kCommit};
  for (uint32_t step = kTraceOpened; step < kFlushSteps; ++step)
    record_tracing(kSteps[step - 1], told.ticks[step - 1], told.ticks[step], step == kChunksWritten ? told.bytes : 0);
}

/// Whether a flusher that was ended came so far as to leave its account. Then all is stored.
bool has_account_of(uint64_t generation) {
  char path[sizeof spool.path + sizeof kAccount];
  uint64_t begin[2] = {0, 0};  // what it is, and of which generation (harvest/flush_account.cc)
  strcpy(path, event_file_path());
  strcpy(path + strlen(path) - strlen(kEvents), kAccount);
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  if (fd < 0) return false;
  const long length = base::kernel_call(SYS_read, fd, begin, sizeof begin);
  base::kernel_call(SYS_close, fd);
  return length == sizeof begin && begin[0] == kAccountMagic && begin[1] == generation;
}

/// The world is stopped. What is open counts as told from now on: if not by the flusher then by the harvester.
FlusherEnd store_events() {
  FlushHeader* header = flush_header();
  list_open_calls(header);
  memset(&header->told, 0, sizeof header->told);
  const uint64_t next = header->generation + 1;
  FlusherEnd end = run_flusher(settings_in_force().flusher, event_file_path(), &header->done, next, kFlushPatienceNs);
  if (end == FlusherEnd::kFailed && has_account_of(next)) end = FlusherEnd::kDone;
  if (end != FlusherEnd::kDone) return end;
  header->open_count = 0;
  reuse_event_file();
  __atomic_store_n(&header->generation, next, __ATOMIC_RELEASE);
  __atomic_store_n(&flushes, flushes + 1, __ATOMIC_RELEASE);
  return end;
}

/// Lock held, something to store.
bool flush(uint64_t began) {
  const bool stopped = stop_the_others();
  const FlusherEnd end = stopped ? store_events() : FlusherEnd::kFailed;
  if (end == FlusherEnd::kDone)
    record_flush(flush_header()->told, began);
  else
    stop_recording(stopped ? reason_of(end) : "its threads did not wait while it was to be stored");
  resume_world();
  return end == FlusherEnd::kDone;
}

}  // namespace

uint32_t flushes_so_far() { return __atomic_load_n(&flushes, __ATOMIC_ACQUIRE); }

void reset_flushes() {
  flushes = 0;
  filters_at_start = filters();
}

void record_tracing(TracingStep step, uint64_t start, uint64_t end, uint64_t bytes) {
  record_always({start, end, 0, 0, bytes, 0, static_cast<uint16_t>(step), RawKind::kTracing, 0});
}

void flushes_alone(const char* why) {
  if (!event_file()) return;
  FlushHeader* header = flush_header();
  strncpy(header->alone, why, sizeof header->alone - 1);
}

bool flush_events(uint32_t before) {
  const uint64_t began = base::ticks();
  SpoolLock lock;
  EventFileHeader* file = event_file();
  if (!file || file->full) return false;
  if (flushes != before) return true;
  if (is_event_file_empty()) return false;  // what is wanted is larger than all there is
  if (const char* why = hindrance()) {
    stop_recording(why);
    return false;
  }
  return flush(began);
}

void flush_early() {
  const uint64_t began = base::ticks();
  SpoolLock lock;
  EventFileHeader* file = event_file();
  if (file && !file->full && !is_event_file_empty() && !hindrance()) flush(began);
}

}  // namespace headrace::capture
