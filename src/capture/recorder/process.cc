#include "capture/recorder/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/program_path.h"
#include "base/schedulers.h"
#include "base/start_code.h"
#include "capture/recorder/call_sites.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/environment.h"
#include "capture/recorder/exclusion.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/go_program.h"
#include "capture/recorder/kernel_aio.h"
#include "capture/recorder/phases.h"
#include "capture/recorder/posix_aio.h"
#include "capture/recorder/records.h"
#include "capture/recorder/rings.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/stream.h"
#include "capture/recorder/thread_names.h"
#include "capture/recorder/trace_choice.h"

namespace headrace::capture {
namespace {

constinit Settings settings{};
std::atomic<uint32_t> began;                   // 1: somebody reads the configuration, or has
HEADRACE_LARGE char image_text[2 * kPathMax];  // the executable, and behind it the arguments: few touch two pages
char *const executable = image_text, *arguments = image_text;
uint32_t executable_length, arguments_length, arguments_cut;

HEADRACE_AT_START uint32_t store_name(const char* text, uint32_t length) {
  return length ? allocate_name(text, length) : 0;
}

/// What the harvester cannot ask a dead process for.
HEADRACE_AT_START void store_facts() {
  Header* header = spool.header;
  PathName directory = working_directory();
  char job[base::kLongestSchedulerJob];
  const uint32_t job_length = settings.launched ? 0 : scheduler_job(job, sizeof job);
  SpoolLock lock;
  store_rules();
  header->executable = store_name(executable, executable_length);
  header->arguments = store_name(arguments, arguments_length);
  header->arguments_cut = arguments_cut;
  header->working_directory = store_name(directory.text, directory.length);
  header->scheduler_job = store_name(job, job_length);
}

/// What threads count may take so much more than `memory`, since it is in proportion to those that live, and a thread
/// takes about as much of the machine for itself. Offsets have 32 bits.
uint64_t room_for_threads(uint64_t memory) {
  constexpr uint64_t kTimes = 64, kLeast = 256 << 20;
  return std::min(std::max(memory * kTimes, kLeast), kLargestLimit - memory);
}

HEADRACE_AT_START bool make_spool() {
  reset_folds();
  reset_call_sites();
  if (!create_spool(settings.directory, settings.memory, room_for_threads(settings.memory)) ||
      !create_table(settings.memory))
    return false;
  reset_phases();
  if (settings.trace) {
    create_event_file(settings.trace_memory);
    note_filter();
  }
  return true;
}

HEADRACE_AT_START bool begin() {
  if (began.exchange(1) != 0) return false;
  settings = read_settings();
  if (settings.launched) Note::keep_in(settings.directory);
  if (settings.listed && settings.launched)
    Note("listed", executable_path(), static_cast<int>(base::kernel_call(SYS_getpid)));
  if (settings.off) {
    state.paused.store(true, std::memory_order_relaxed);
    return false;
  }
  Note::keep_in(settings.directory);
  if (settings.phases_only) record_phases_only();
  if (settings.trace) choose_events(settings.trace_filter);
  if (!create_descriptors() || !make_spool()) {
    Note("no-memory", nullptr, static_cast<int>(base::kernel_call(SYS_getpid)));
    return false;
  }
  prepare_threads();
  state.file_sizes = settings.file_sizes;
  state.wiped->alive = 1;
  state.enabled = true;
  return true;
}

bool forked_inside;    // see forked_inside_section()
bool counts_for_self;  // the child's own copy of its parent's spool has what it did since

/// Takes the parent's spool out of this process. The child may have been forked in a signal handler that came just as a
/// section was being entered, and will then write to it once more: for that, nothing in particular stays mapped there.
void put_away(const Spool& parent, uint64_t used) {
  static char* before;
  static uint64_t before_bytes;
  if (before) base::unmap(before, before_bytes);
  before = parent.base;
  before_bytes = (used + 4095) & ~uint64_t{4095};
  if (before_bytes < parent.mapped) base::unmap(parent.base + before_bytes, parent.mapped - before_bytes);
  base::kernel_call(SYS_mmap, before, before_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/// A child begins when it is forked, not with its first call.
void begin_when_forked() {
  Header* header = spool.header;
  const uint64_t ns = state.wiped->forked_ns;
  if (ns == 0 || ns > header->monotonic_ns[0]) return;
  const uint64_t since = header->monotonic_ns[0] - ns;
  header->ticks[0] = state.wiped->forked_ticks;
  header->monotonic_ns[0] = ns;
  header->realtime_ns -= since;
  header->boottime_ns -= since;
}

/// Only the forking thread exists here, in a copy of its parent's memory, with the parent's spool still mapped.
bool begin_forked_child() {
  forked_inside = state.alone = false;
  Spool parent = spool;
  // The parent goes on: what it has used by now need not be mapped here.
  const uint64_t parent_bytes = std::min(parent.header->used, parent.mapped);
  uint32_t parent_id = parent.header->process_id;
  reset_spool_lock();
  leave_event_file();
  forget_threads();
  if (!make_spool()) {
    state.enabled = false;
    return false;
  }
  // Without a descriptor left, or below another root, not even a note could be made: the parent's spool tells of it.
  if (settings.directory[0] && !spool.backed && !spool.noted)
    __atomic_fetch_add(&parent.header->lost_children, 1, __ATOMIC_RELAXED);
  begin_when_forked();
  spool.header->forked = 1;
  spool.header->parent_process_id = parent_id;
  if (std::exchange(counts_for_self, false)) memcpy(spool.header->apart, parent.header->apart, sizeof(Header::apart));
  inherit_descriptors(parent.base, parent_bytes);
  store_facts();
  put_away(parent, parent_bytes);
  __atomic_store_n(&state.wiped->alive, 1, __ATOMIC_RELEASE);
  return true;
}

/// A child may have started threads before its first intercepted call: one of them begins, the others wait.
bool begin_forked_child_once() {
  static __thread bool beginning __attribute__((tls_model("initial-exec")));
  if (beginning) return false;  // a signal handler that interrupted it
  if (__atomic_exchange_n(&state.wiped->beginning, 1, __ATOMIC_ACQ_REL) != 0) {
    uint32_t attempt = 0;
    while (__atomic_load_n(&state.enabled, __ATOMIC_RELAXED) && !__atomic_load_n(&state.wiped->alive, __ATOMIC_ACQUIRE))
      base::pause_briefly(attempt++);
    return state.enabled;
  }
  beginning = true;
  bool ok = begin_forked_child();
  beginning = false;
  return ok;
}

/// Runs in the child of fork: its only thread must not use a block of its parent's spool when another thread, which it
/// starts before it does any I/O, begins the child's own. A child of a raw clone is not told; its first call notices.
void begin_child() {
  block = nullptr;
  if (!state.enabled || !state.wiped) return;
  __atomic_store_n(&state.wiped->forked_ns, 1, __ATOMIC_RELAXED);  // the page comes now, and not between the clocks
  const uint64_t ticks = base::ticks();
  state.wiped->forked_ns = base::clock_ns(CLOCK_MONOTONIC);
  state.wiped->forked_ticks = ticks;
}

HEADRACE_AT_START void take_executable() {
  executable_length = static_cast<uint32_t>(base::program_path(executable, kPathMax - 1));
  arguments = executable + executable_length + 1;
}

HEADRACE_AT_START void take_arguments(int count, char** values) {
  for (int i = 0; i < count && values && values[i]; ++i) {
    size_t length = strlen(values[i]) + 1;
    if (arguments_length + length > kPathMax) {
      arguments_cut = 1;
      length = kPathMax - arguments_length;
    }
    memcpy(arguments + arguments_length, values[i], length);
    arguments_length += static_cast<uint32_t>(length);
    if (arguments_cut) break;
  }
}

HEADRACE_AT_START void take_end_time(EndKind kind, int status) {
  Header* header = spool.header;
  header->exit_status = status;
  header->ticks[1] = base::ticks();
  header->monotonic_ns[1] = base::clock_ns(CLOCK_MONOTONIC);
  header->ended = kind;
}

HEADRACE_AT_START bool is_running() { return state.enabled && state.wiped && state.wiped->alive && !in_vfork_child(); }

HEADRACE_AT_START void at_exit(int status, void*) {
  if (is_running()) {
    settle_for_good();
    note_thread_names();
  }
  end_image(status);
}

/// Without a launcher the spool stays until `headrace collect`: give back what is not used.
void trim_spool() {
  Update update;
  if (settings.harvested || !spool.backed || !update.enter()) return;
  {
    SpoolLock lock;
    uint64_t used = (spool.header->used + 4095) & ~uint64_t{4095};
    // Other threads may run on: from now on they must reserve again before they go beyond `used`.
    if (base::kernel_call(SYS_truncate, spool.path, used) == 0) spool.header->grown = used;
    trim_event_file();
  }
  update.leave();
}

}  // namespace

HEADRACE_AT_START bool ready_slow() {
  // Every call of a process without capture comes here, and must not pay for blocking signals.
  if (!state.enabled && began.load(std::memory_order_relaxed) != 0) return false;
  if (in_vfork_child()) return state.enabled;
  SignalsBlocked quiet;
  int saved = errno;
  bool ok = state.enabled;
  if (!state.wiped)
    ok = begin();
  else if (forked_inside && interrupts_section())
    ok = false;
  else if (state.enabled && state.wiped->alive == 0)
    ok = begin_forked_child_once();
  errno = saved;
  return ok && state.enabled;
}

HEADRACE_AT_START void start_image(int argument_count, char** argument_values) {
  int saved = errno;
  bool first = ready();
  if (first) {
    take_executable();
    take_arguments(argument_count, argument_values);
    prepare_call_sites(reinterpret_cast<const void*>(&prepare_call_sites),
                       reinterpret_cast<uintptr_t>(argument_values));
    store_facts();
    spool.header->go_program = is_go_program();
    on_exit(at_exit, nullptr);
    pthread_atfork(nullptr, nullptr, begin_child);
  }
  take_environment(settings.launched, first, executable, argument_count, argument_values);
  errno = saved;
}

void forked_inside_section(ThreadBlock* interrupted) {
  block = interrupted;
  // The parent's other threads go on: what they use by now need not be mapped here. What one of them held when the
  // child was made nobody gives back here.
  const uint64_t used = std::min((spool.header->used + 4095) & ~uint64_t{4095}, spool.mapped);
  state.alone = true;
  if (state.folding.load() != 0) never_resume();
  reset_spool_lock();
  reset_released();
  void* copy = spool.backed ? base::map_anonymous(spool.mapped) : nullptr;
  if (copy) {
    memcpy(copy, spool.base, used);
    base::kernel_call(SYS_mremap, copy, spool.mapped, spool.mapped, MREMAP_MAYMOVE | MREMAP_FIXED, spool.base);
    spool.backed = false;
    spool.header->grown = spool.mapped;
  }
  isolate_event_file();
  counts_for_self = !spool.backed;
  if (counts_for_self) memset(spool.header->apart, 0, sizeof(Header::apart));
  forked_inside = true;
}

HEADRACE_AT_START void end_image(int status) {
  if (forked_inside) {
    forked_inside = false;  // the section never goes on
    ready();
  }
  if (!is_running()) return;
  int saved = errno;
  look_at_all_rings(true);
  lose_requests(0);
  settle_requests();
  settle_all(Coming::kGoOn);
  take_end_time(EndKind::kExit, status);
  trim_spool();
  errno = saved;
}

void replace_image() {
  if (!is_running()) return;
  look_at_all_rings(true);
  lose_requests(0);
  settle_requests();
  settle_all(Coming::kGoOn);
  take_end_time(EndKind::kExec, 0);
}

void keep_image() {
  if (!is_running()) return;
  spool.header->ended = EndKind::kNone;
  spool.header->ticks[1] = spool.header->monotonic_ns[1] = 0;
}

const Settings& settings_in_force() { return settings; }

void note_io_uring() {
  if (ready() && is_running()) __atomic_fetch_add(&spool.header->io_uring, 1, __ATOMIC_RELAXED);
}

void note_unsure_operations(uint32_t number) {
  if (ready() && is_running()) __atomic_fetch_add(&spool.header->unsure_operations, number, __ATOMIC_RELAXED);
}

void lose_operations(uint64_t number) {
  if (number != 0 && ready() && is_running())
    __atomic_fetch_add(&spool.header->lost_operations, number, __ATOMIC_RELAXED);
}

}  // namespace headrace::capture
