#include "capture/recorder/phases.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/start_code.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/phase_instances.h"
#include "capture/recorder/phase_sums.h"
#include "capture/recorder/regions.h"
#include "capture/recorder/series.h"
#include "capture/recorder/stream.h"
#include "capture/recorder/trace_choice.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kPhases = 256, kSlots = 2 * kPhases;
constexpr uint32_t kFirstShift = 16;    // bins of some 30 microseconds, until it is known how long a phase takes
HEADRACE_LARGE uint32_t slots[kSlots];  // Phase, by hash of the path
uint32_t phases;
uint32_t spare[kOpenPhases];  // OpenPhase blocks that are free
uint32_t spares;
uint64_t stretches;
bool only;  // nothing is recorded outside

OpenPhase& open_at(uint32_t i) { return *at<OpenPhase>(spool.header->open_phases[i]); }

/// At most kPhaseName bytes, and no part of a character.
uint32_t kept_length(const char* name) {
  uint32_t length = 0;
  while (length <= kPhaseName && name[length]) ++length;
  if (length <= kPhaseName) return length;
  length = kPhaseName;
  while (length > 0 && (static_cast<unsigned char>(name[length]) & 0xc0) == 0x80) --length;
  return length;
}

/// The innermost open phase of this thread, below the first `below`; kOpenPhases: none.
uint32_t innermost(uint32_t below) {
  for (uint32_t i = below; i-- > 0;)
    if (open_at(i).thread == block->id) return i;
  return kOpenPhases;
}

/// Where a phase is, or would be: its slot is 0.
uint32_t& phase_slot(uint64_t hash) {
  uint32_t slot = static_cast<uint32_t>(hash) % kSlots;
  while (slots[slot] && at<Phase>(slots[slot])->hash != hash) slot = (slot + 1) % kSlots;
  return slots[slot];
}

uint32_t add_phase(uint64_t hash, const char* path, uint32_t length) {
  if (phases >= kPhases) return 0;
  uint32_t offset = allocate_or_fold(sizeof(Phase));
  const uint32_t name = offset ? allocate_name(path, length) : 0;
  if (!name) return 0;
  auto* added = at<Phase>(offset);
  added->hash = hash;
  added->name = name;
  added->least = ~uint64_t{0};
  added->next = spool.header->first_phase;
  __atomic_store_n(&spool.header->first_phase, offset, __ATOMIC_RELEASE);
  phase_slot(hash) = offset;
  ++phases;
  return offset;
}

uint32_t phase_of(const char* path, uint32_t length) {
  const uint64_t hash = base::hash_text({path, length});
  const uint32_t known = phase_slot(hash);
  return known ? known : add_phase(hash, path, length);
}

/// Moves what threads counted since the latest boundary into every open phase.
void collect_series(uint64_t now) {
  const uint64_t stretch = state.stretch.load(std::memory_order_relaxed);
  for (uint32_t thread = spool.header->first_thread; stretch && thread;) {
    const auto* b = at<ThreadBlock>(thread);
    thread = b->next;
    const auto* series = b->phase_series ? at<PhaseSeries>(b->phase_series) : nullptr;
    if (!series || __atomic_load_n(&series->epoch, __ATOMIC_ACQUIRE) != stretch) continue;
    for (uint32_t bin = 0; bin < kPhaseBins; ++bin) {
      const uint64_t from = series->start + (uint64_t{bin} << series->shift);
      const uint64_t end = from + (uint64_t{1} << series->shift) - 1, to = end < now ? end : now;
      for (uint32_t flow = 0; flow < kFlows; ++flow) {
        const uint64_t bytes = series->bytes[bin][flow];
        for (uint32_t i = 0; bytes && i < spool.header->open_phase_count; ++i)
          spread_over_bins(open_at(i).series, from, to, bytes, static_cast<Flow>(flow));
      }
    }
  }
}

/// From now on threads count in the series of whatever is open now.
void begin_stretch(uint64_t now) {
  const uint32_t count = spool.header->open_phase_count;
  if (count) {
    state.stretch_start = now;
    state.stretch_shift = open_at(count - 1).series.shift;
  }
  spool.header->stretch = count ? ++stretches : 0;
  state.stretch.store(spool.header->stretch, std::memory_order_release);
}

/// Bins in which a phase of its usual length has its series without any doubling.
uint32_t first_shift(const Phase& phase) {
  if (phase.finished == 0) return kFirstShift;
  const auto usual = static_cast<uint64_t>(phase.mean) / kPhaseBins;
  const uint32_t shift = usual > 1 ? static_cast<uint32_t>(63 - __builtin_clzll(usual)) : 1;
  return shift < 40 ? shift : 40;
}

uint32_t take_open_phase() {
  if (spool.header->open_phase_count >= kOpenPhases) return 0;
  if (spares) return spare[--spares];
  return allocate_or_fold(sizeof(OpenPhase));
}

bool open_one(const char* name) {
  char path[kPhasePath + 1];  // of the whole phase: outer ones, this one; NUL
  uint32_t length = 0;
  const uint32_t outer = innermost(spool.header->open_phase_count), own = kept_length(name);
  if (outer != kOpenPhases) {
    const Name* text = at<Name>(at<Phase>(open_at(outer).phase)->name);
    length = text->length;
    memcpy(path, text + 1, length);
    path[length++] = '/';
  }
  if (length + own > kPhasePath) return false;
  memcpy(path + length, name, own);
  path[length + own] = 0;
  const uint32_t phase = phase_of(path, length + own);
  const uint32_t offset = phase ? take_open_phase() : 0;
  if (!offset) return false;
  auto* opened = at<OpenPhase>(offset);
  read_process_sums();
  if (!keep_process_sums(*opened)) {
    spare[spares++] = offset;
    return false;
  }
  opened->phase = phase;
  opened->thread = block->id;
  opened->name_hash = base::hash_text({name, own});
  opened->number = ++at<Phase>(phase)->begun;
  opened->chosen = state.choosy && choose_phase(path, opened->number);
  memset(&opened->series, 0, sizeof opened->series);
  opened->begin = opened->series.start = base::ticks();
  collect_series(opened->begin);
  opened->series.shift = first_shift(*at<Phase>(phase));
  if (at<Phase>(phase)->first_begin == 0) at<Phase>(phase)->first_begin = opened->begin;
  spool.header->open_phases[spool.header->open_phase_count] = offset;
  __atomic_store_n(&spool.header->open_phase_count, spool.header->open_phase_count + 1, __ATOMIC_RELEASE);
  begin_stretch(opened->begin);
  return true;
}

void add_time(Phase& phase, const EndedPhase& instance) {
  const uint64_t time = instance.end - instance.begin;
  phase.finished++;
  phase.cut += instance.ended != PhaseEnd::kEnd;
  phase.time += time;
  if (time < phase.least) phase.least = time;
  if (time >= phase.most) phase.slowest = instance.number;
  if (time > phase.most) phase.most = time;
  const double off = static_cast<double>(time) - phase.mean;
  phase.mean += off / static_cast<double>(phase.finished);
  phase.deviations += off * (static_cast<double>(time) - phase.mean);
  phase.last_end = instance.end;
}

/// The sums of the process were read.
void close_one(uint32_t i, uint64_t now, PhaseEnd how) {
  const uint32_t offset = spool.header->open_phases[i];
  OpenPhase& open = *at<OpenPhase>(offset);
  Phase& phase = *at<Phase>(open.phase);
  const EndedPhase instance{open.number, open.begin, now > open.begin ? now : open.begin, how};
  __atomic_store_n(&spool.header->changing_phases, 1, __ATOMIC_RELAXED);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (open.chosen) close_chosen_phase();
  subtract_kept_sums(open);
  add_time(phase, instance);
  if (!add_sums(&phase.functions, &phase.sizes)) spool.header->lost_phases++;
  phase.latest = keep_function_sums(&phase.latest_functions) ? instance.number : 0;
  keep_instance(phase, instance, open);
  add_kept_sums(open);
  uint32_t& count = spool.header->open_phase_count;
  --count;
  memmove(&spool.header->open_phases[i], &spool.header->open_phases[i + 1], (count - i) * sizeof(uint32_t));
  spare[spares++] = offset;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  __atomic_store_n(&spool.header->changing_phases, 0, __ATOMIC_RELAXED);
}

/// Closes this thread's open phases from the innermost one to the `last`.
void close_down_to(uint32_t last, uint64_t now, PhaseEnd inner, PhaseEnd of_last) {
  collect_series(now);
  read_process_sums();
  for (uint32_t i = innermost(spool.header->open_phase_count); i != kOpenPhases && i >= last; i = innermost(i))
    close_one(i, now, i == last ? of_last : inner);
  begin_stretch(now);
}

/// Which open phase of this thread a name stands for.
uint32_t find_open(const char* name) {
  uint32_t i = innermost(spool.header->open_phase_count);
  if (!name) return i;
  const uint64_t hash = base::hash_text({name, kept_length(name)});
  while (i != kOpenPhases && open_at(i).name_hash != hash) i = innermost(i);
  return i;
}

/// Where nothing is recorded outside phases: recording goes on while one is open. Lock held, so that a phase which
/// begins as another one ends is recorded. Whether that is a change; then descriptors must be forgotten, outside of the
/// section: they are looked at anew, now that they count or no more.
bool pause_or_go_on() {
  const bool pause = only && spool.header->open_phase_count == 0;
  return state.paused.exchange(pause, std::memory_order_acq_rel) != pause;
}

void forget_all_descriptors() { forget_descriptors(0, kDescriptors - 1); }

}  // namespace

const Phase* known_phase(const char* path) {
  const uint32_t known = phase_slot(base::hash_text(path));
  return known ? at<Phase>(known) : nullptr;
}

/// Hashes of the names of this thread's open phases, innermost first, down to the `last`.
struct Names {
  uint64_t of[kOpenPhases];
  uint32_t count = 0;
};
Names names_down_to(uint32_t last) {
  Names names;
  for (uint32_t i = innermost(spool.header->open_phase_count); i != kOpenPhases && i >= last; i = innermost(i))
    names.of[names.count++] = open_at(i).name_hash;
  return names;
}

void begin_phase(const char* name) {
  if (!name || in_vfork_child() || !ready()) return;
  const int saved = errno;
  settle_all(Coming::kGoOn);  // bytes that wait in streams belong to what was before
  bool changed = false;
  Update update;
  if (update.enter()) {
    bool opened;
    {
      SpoolLock lock;
      opened = !self->lost_phases && open_one(name);
      if (!opened) {  // what is begun inside a lost one is lost with it
        spool.header->lost_phases++;
        self->lost_phases++;
      }
      changed = pause_or_go_on();
    }
    if (opened) record_enter(name, kept_length(name), base::ticks());
    update.leave();
  }
  if (changed) forget_all_descriptors();
  errno = saved;
}

void end_phase(const char* name) {
  const uint64_t now = base::ticks();
  if (in_vfork_child() || !ready()) return;
  const int saved = errno;
  settle_all(Coming::kGoOn);
  bool changed = false;
  Update update;
  if (update.enter()) {
    Names left;
    {
      SpoolLock lock;
      if (self->lost_phases) {
        self->lost_phases--;
      } else if (const uint32_t i = find_open(name); i != kOpenPhases) {
        left = names_down_to(i);
        close_down_to(i, now, PhaseEnd::kOuter, PhaseEnd::kEnd);
      } else {
        spool.header->stray_phase_ends++;
      }
      changed = pause_or_go_on();
    }
    // Behind the bytes that waited in streams, which were told above.
    for (uint32_t i = 0; i < left.count; ++i) record_leave(left.of[i], base::ticks());
    update.leave();
  }
  if (changed) forget_all_descriptors();
  errno = saved;
}

void record_phases_only() {
  only = true;
  state.paused.store(true, std::memory_order_relaxed);
}

void end_phases_of_thread() {
  if (__atomic_load_n(&spool.header->open_phase_count, __ATOMIC_RELAXED) == 0) return;
  bool changed = false;
  Update update;
  if (!update.enter()) return;
  Names left;
  {
    SpoolLock lock;
    uint32_t last = kOpenPhases;
    for (uint32_t i = innermost(spool.header->open_phase_count); i != kOpenPhases; i = innermost(i)) last = i;
    if (last != kOpenPhases) left = names_down_to(last);
    if (last != kOpenPhases) close_down_to(last, base::ticks(), PhaseEnd::kThread, PhaseEnd::kThread);
    changed = pause_or_go_on();
  }
  for (uint32_t i = 0; i < left.count; ++i) record_leave(left.of[i], base::ticks());
  update.leave();
  if (changed) forget_all_descriptors();
}

HEADRACE_AT_START void reset_phases() {
  if (phases) {  // most processes have none, and need not touch this memory
    memset(slots, 0, sizeof slots);
    reset_instances();
  }
  reset_sums();
  phases = spares = 0;
  if (state.choosy) forget_chosen_phases();
  state.stretch.store(0, std::memory_order_relaxed);
  if (only) state.paused.store(true, std::memory_order_relaxed);
  spool.header->phases_only = only;
}

}  // namespace headrace::capture
