#include "capture/recorder/regions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "base/clock.h"
#include "base/hash.h"
#include "base/hexadecimal.h"
#include "base/kernel.h"
#include "capture/recorder/events.h"
#include "capture/recorder/loaded_objects.h"
#include "capture/recorder/region_names.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/trace_choice.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kLongestName = 4095;

void count_for(Account account, uint32_t amount = 1) { block->accounts[static_cast<uint32_t>(account)] += amount; }

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
    count_for(Account::kNameless);
    return false;
  }
  record_always({at, at, 0, 0, value, number, 0, kind, 0});
  return true;
}

/// Whether it is recorded now; what is not is counted.
bool passes(uint32_t number) {
  const bool outside = state.paused.load(std::memory_order_relaxed);  // of phases, where they alone are captured
  if (HEADRACE_LIKELY(!state.choosy && !outside)) return true;
  const uint32_t closed = __atomic_load_n(&state.closed, __ATOMIC_RELAXED);
  const uint8_t named = region_name(number).left_out;
  if (!closed && !named && !outside) return true;
  count_for(closed ? why_closed(closed) : named ? static_cast<Account>(named - 1) : Account::kPhase);
  return false;
}

/// How many may be open with their places known.
uint32_t deepest(const OpenRegions& open) { return kOpenRegions + (open.deep ? kDeepRegions : 0); }

/// It is not recorded, but its end must be told from those of others.
HEADRACE_COLD void enter_deep(uint32_t number) {
  OpenRegions& open = self->regions;
  if (!open.deep) open.deep = static_cast<uint32_t*>(base::map_anonymous(kDeepRegions * sizeof(uint32_t)));
  const uint32_t place = open.depth++ - kOpenRegions;
  if (open.deep && place < kDeepRegions) {
    open.deep[place] = number;
    return;
  }
  if (open.depth == deepest(open) + 1) open.beyond.clear();
  open.beyond.enter(number);
}

void enter_inside(uint32_t number, uint64_t at) {
  OpenRegions& open = self->regions;
  if (HEADRACE_UNLIKELY(open.depth >= kOpenRegions)) {
    enter_deep(number);
    return count_for(Account::kDeep);
  }
  if (!passes(number)) {
    open.of[open.depth++] = {at, number, OpenRegion::kLeftOut};
  } else if (HEADRACE_UNLIKELY(state.choosy && least_ticks() != 0)) {
    open.of[open.depth++] = {at, number, OpenRegion::kWaits};
    ++open.waiting;
  } else {
    open.of[open.depth++] = {at, number,
                             record(RawKind::kEnter, number, at) ? OpenRegion::kRecorded : OpenRegion::kLeftOut};
  }
}

/// The innermost region ends.
void leave_innermost(uint64_t at) {
  OpenRegions& open = self->regions;
  const OpenRegion& left = open.of[open.depth - 1];
  if (HEADRACE_UNLIKELY(left.state == OpenRegion::kWaits)) {
    if (at >= left.start && at - left.start >= least_ticks()) {  // processors' counters may differ
      record_waiting_regions();
    } else {
      --open.waiting;
      count_for(Account::kShort);
    }
  }
  if (left.state == OpenRegion::kRecorded) record(RawKind::kLeave, left.number, at);
  --open.depth;
}

/// Leaves what is open from the innermost region to the one at `place`.
void leave_down_to(uint32_t place, uint64_t at) {
  OpenRegions& open = self->regions;
  for (; open.depth > kOpenRegions && open.depth > place; --open.depth)
    if (open.depth > place + 1) count_for(Account::kCut);
  while (open.depth > place) {
    leave_innermost(at);
    if (open.depth > place) count_for(Account::kCut);
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

/// Where regions are open whose places are not known: false if this is the end of one of them, or of none. Else they
/// have ended with it, as it is an outer one.
HEADRACE_COLD bool leave_beyond(uint32_t number, bool phase) {
  OpenRegions& open = self->regions;
  const uint32_t known = deepest(open), beyond = open.depth - known;
  if (open.beyond.leave(number)) {
    --open.depth;
    return false;
  }
  const bool closed =
      !phase && open.beyond.any([](uint32_t there) { return region_name(there).kind == RegionKind::kPhase; });
  open.depth = known;
  if (closed || depth_of(number, phase) == 0) {
    open.depth += beyond;
    count_for(Account::kStray);
    return false;
  }
  count_for(Account::kCut, beyond);
  return true;
}

void leave_inside(uint32_t number, uint64_t at, bool phase) {
  OpenRegions& open = self->regions;
  if (HEADRACE_UNLIKELY(open.depth > deepest(open)) && !leave_beyond(number, phase)) return;
  const uint32_t depth = depth_of(number, phase);
  if (HEADRACE_UNLIKELY(depth == 0)) return count_for(Account::kStray);
  leave_down_to(depth - 1, at);
}

constexpr uint32_t kLongestBuildId = 32;

/// In hexadecimal; as it is where there is none.
void write_build_id(const LoadedObject& object, char (&to)[2 * kLongestBuildId + 1]) {
  const BuildId id = build_id_of(object);
  if (id.bytes && id.length != 0 && id.length <= kLongestBuildId) *base::write_hexadecimal(id.bytes, id.length, to) = 0;
}

/// The number of a function that is met for the first time; 0: there is no memory. Inside a section.
HEADRACE_COLD uint32_t add_function(uint64_t key, uintptr_t function) {
  char text[kPathMax / 4];
  LoadedObject object;
  const bool known = find_object(function, &object);
  const char* file = !known ? "" : *object.name ? object.name : executable_path();
  char build_id[2 * kLongestBuildId + 1] = "-";
  if (known) write_build_id(object, build_id);
  const int length = snprintf(text, sizeof text, "%llx %s %s",
                              static_cast<unsigned long long>(function - (known ? object.bias : 0)), build_id, file);
  const uint32_t number = length > 0 ? add_region(key, RegionKind::kFunction, text,
                                                  std::min(static_cast<uint32_t>(length), kPathMax / 4 - 1))
                                     : 0;
  if (number == 0) count_for(Account::kNameless);
  return number;
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
    if (number == 0) count_for(Account::kNameless);
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

void enter_function(uintptr_t function) {
  const uint64_t key = region_key(RegionKind::kFunction, function);
  uint32_t number = find_region(key);
  if (!records_events()) return;
  Update update;
  if (HEADRACE_UNLIKELY(!update.enter())) return count_interrupted();
  if (HEADRACE_UNLIKELY(number == 0)) {
    const int saved = errno;
    number = add_function(key, function);
    errno = saved;
  }
  if (HEADRACE_LIKELY(number != 0)) enter_inside(number, base::ticks());
  update.leave();
}

void leave_function(uintptr_t function) {
  if (const uint32_t number = find_region(region_key(RegionKind::kFunction, function))) leave_region(number);
}

void set_counter(uint32_t number, double value) {
  if (!records_events() || (!is_region(number) && number != kNoNumber)) return;
  Update update;
  if (HEADRACE_UNLIKELY(!update.enter())) return count_interrupted();
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (number == kNoNumber) {
    count_for(Account::kValue);
  } else if (passes(number)) {
    record_waiting_regions();
    record(RawKind::kCounter, number, base::ticks(), bits);
  }
  update.leave();
}

void switch_recording(bool on) {
  if (records_events()) set_closed(kClosedByProgram, !on);
}

void record_waiting_regions() {
  OpenRegions& open = self->regions;
  for (uint32_t i = 0; HEADRACE_UNLIKELY(open.waiting != 0) && i < open.depth && i < kOpenRegions; ++i) {
    OpenRegion& region = open.of[i];
    if (region.state != OpenRegion::kWaits) continue;
    region.state = OpenRegion::kRecorded;  // before a flush, which may come in between
    if (!record(RawKind::kEnter, region.number, region.start)) region.state = OpenRegion::kLeftOut;
    --open.waiting;  // not before: a flush then tells no call inside of it (open_calls.h)
  }
}

void record_enter(const char* name, uint32_t length, uint64_t at) {
  if (!state.tracing) return;
  const uint64_t key = region_key(RegionKind::kPhase, base::hash_text({name, length}));
  uint32_t number = find_region(key);
  if (number == 0) number = add_region(key, RegionKind::kPhase, name, length);
  if (number != 0)
    enter_inside(number, at);
  else
    count_for(Account::kNameless);
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
  self->regions.depth = self->regions.waiting = 0;
}

}  // namespace headrace::capture
