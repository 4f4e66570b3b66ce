#include "capture/recorder/regions.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/kernel.h"
#include "capture/recorder/events.h"
#include "capture/recorder/region_names.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kLongestName = 4095;

void count(Account account) { block->accounts[static_cast<uint32_t>(account)]++; }

/// In a signal handler that came while this thread records: single instructions.
void count_interrupted() {
  if (block) __atomic_fetch_add(&block->accounts[static_cast<uint32_t>(Account::kInterrupted)], 1, __ATOMIC_RELAXED);
}

/// Its name has to be in the file of events before it is of use there; false: there is no room for it.
bool tell(uint32_t number, RegionName& name) {
  const bool told = add_region_name(number, name.kind, name.text, name.length);
  (told ? name.file : name.refused) = state.event_file;
  return told;
}

/// False: it has no name in the file of events, which is counted.
bool record(RawKind kind, uint32_t number, uint64_t at, uint64_t value = 0) {
  RegionName& name = region_name(number);
  if (HEADRACE_UNLIKELY(name.file != state.event_file) && (name.refused == state.event_file || !tell(number, name))) {
    count(Account::kNameless);
    return false;
  }
  RawEvent* event = next_event();
  if (HEADRACE_UNLIKELY(!event)) return true;
  *event = {at, at, 0, 0, value, number, 0, kind, 0};
  commit_event();
  return true;
}

/// Whether it is left out now, which is counted.
bool passes() {
  if (HEADRACE_LIKELY(!state.recording_off && !state.paused.load(std::memory_order_relaxed))) return true;
  count(state.recording_off ? Account::kPaused : Account::kPhase);
  return false;
}

/// It is not recorded, but its end must be told from those of others.
HEADRACE_COLD void enter_deep(uint32_t number) {
  OpenRegions& open = self->regions;
  if (!open.deep) open.deep = static_cast<uint32_t*>(base::map_anonymous(kDeepRegions * sizeof(uint32_t)));
  const uint32_t place = open.depth++ - kOpenRegions;
  if (open.deep && place < kDeepRegions) open.deep[place] = number;
}

void enter_inside(uint32_t number, uint64_t at) {
  OpenRegions& open = self->regions;
  if (HEADRACE_UNLIKELY(open.depth >= kOpenRegions)) {
    enter_deep(number);
    return count(Account::kDeep);
  }
  open.of[open.depth++] = {number, passes() && record(RawKind::kEnter, number, at)};
}

/// Leaves what is open from the innermost region to the one at `place`.
void leave_down_to(uint32_t place, uint64_t at) {
  OpenRegions& open = self->regions;
  for (; open.depth > kOpenRegions && open.depth > place; --open.depth)
    if (open.depth > place + 1) count(Account::kCut);
  while (open.depth > place) {
    const OpenRegion left = open.of[--open.depth];
    if (open.depth > place) count(Account::kCut);
    if (left.recorded) record(RawKind::kLeave, left.number, at);
  }
}

/// How deep the innermost open region of this number is, 1 the outermost; 0: there is none. Ends of regions do not
/// reach beyond a phase, which ends by itself. `number` 0: any region.
uint32_t depth_of(uint32_t number, bool phase) {
  const OpenRegions& open = self->regions;
  for (uint32_t depth = open.depth; depth > 0; --depth) {
    const uint32_t there = depth > kOpenRegions ? open.deep[depth - kOpenRegions - 1] : open.of[depth - 1].number;
    if (!phase && there != 0 && region_name(there).kind == RegionKind::kPhase) return 0;
    if (number == 0 || there == number) return depth;
  }
  return 0;
}

void leave_inside(uint32_t number, uint64_t at, bool phase) {
  OpenRegions& open = self->regions;
  if (HEADRACE_UNLIKELY(open.depth > kOpenRegions + (open.deep ? kDeepRegions : 0))) {
    --open.depth;
    return;
  }
  const uint32_t depth = depth_of(number, phase);
  if (HEADRACE_UNLIKELY(depth == 0)) return count(Account::kStray);
  leave_down_to(depth - 1, at);
}

}  // namespace

bool records_events() { return ready() && state.tracing && !in_vfork_child(); }

bool may_record_events() {
  ready();
  return state.tracing;
}

uint32_t region_number(RegionKind kind, const char* name) {
  if (!name || !records_events()) return 0;
  const auto length = static_cast<uint32_t>(strnlen(name, kLongestName));
  const uint64_t key = region_key(kind, base::hash_text({name, length}));
  if (const uint32_t known = find_region(key)) return known;
  const int saved = errno;
  uint32_t number = 0;
  if (Update update; update.enter()) {
    number = add_region(key, kind, name, length);
    if (number == 0) count(Account::kNameless);
    update.leave();
  } else {
    count_interrupted();
  }
  errno = saved;
  return number;
}

void enter_region(uint32_t number) {
  if (!records_events() || !is_region(number)) return;
  Update update;
  if (HEADRACE_UNLIKELY(!update.enter())) return count_interrupted();
  enter_inside(number, base::ticks());
  update.leave();
}

void leave_region(uint32_t number) {
  if (!records_events()) return;
  const uint64_t at = base::ticks();
  Update update;
  if (HEADRACE_UNLIKELY(!update.enter())) return count_interrupted();
  leave_inside(number, at, false);
  update.leave();
}

void set_counter(uint32_t number, double value) {
  if (!records_events() || (!is_region(number) && number != kNoNumber)) return;
  Update update;
  if (HEADRACE_UNLIKELY(!update.enter())) return count_interrupted();
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (number == kNoNumber)
    count(Account::kValue);
  else if (passes())
    record(RawKind::kCounter, number, base::ticks(), bits);
  update.leave();
}

void switch_recording(bool on) {
  if (records_events()) __atomic_store_n(&state.recording_off, !on, __ATOMIC_RELAXED);
}

void record_enter(const char* name, uint32_t length, uint64_t at) {
  if (!state.tracing) return;
  const uint64_t key = region_key(RegionKind::kPhase, base::hash_text({name, length}));
  uint32_t number = find_region(key);
  if (number == 0) number = add_region(key, RegionKind::kPhase, name, length);
  if (number != 0)
    enter_inside(number, at);
  else
    count(Account::kNameless);
}

void record_leave(uint64_t name, uint64_t at) {
  if (!state.tracing) return;
  if (const uint32_t number = find_region(region_key(RegionKind::kPhase, name))) leave_inside(number, at, true);
}

void leave_all_regions() {
  if (!self || self->regions.depth == 0) return;
  Update update;
  if (update.enter()) {
    OpenRegions& open = self->regions;
    if (open.depth > kOpenRegions) open.depth = kOpenRegions;
    leave_down_to(0, base::ticks());
    update.leave();
  }
  self->regions.depth = 0;
}

}  // namespace headrace::capture
