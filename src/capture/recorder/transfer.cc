#include "capture/recorder/transfer.h"

#include "capture/recorder/flags.h"
#include "capture/recorder/regions.h"
#include "capture/recorder/trace_choice.h"

namespace headrace::capture {
namespace {

void count_excluded(uint64_t tag, DirectionIndex direction, int64_t result) {
  // No section: a signal handler may come between, so the counts are changed by single instructions.
  if (Update update; !block && update.enter()) update.leave();  // the thread's first operation
  ThreadBlock* b = block;
  if (!b) return unattributed(direction, result > 0 ? static_cast<uint64_t>(result) : 0);
  uint32_t& offset = b->excluded[static_cast<uint32_t>(tag) % kExclusionRules];
  if (HEADRACE_UNLIKELY(!offset)) {
    Update update;
    if (!update.enter()) return unattributed(direction, result > 0 ? static_cast<uint64_t>(result) : 0);
    {
      SpoolLock lock;
      offset = allocate(sizeof(Excluded), Use::kThread);
    }
    update.leave();
    if (!offset) return unattributed(direction, result > 0 ? static_cast<uint64_t>(result) : 0);
  }
  auto* excluded = at<Excluded>(offset);
  excluded->operations[direction]++;
  if (result > 0) excluded->bytes[direction] += static_cast<uint64_t>(result);
}

void count_failed_call(Fn function, DirectionIndex direction, uint64_t spent) {
  Profile* p = profile_of(function, moves(direction));
  if (!p) return;
  p->calls++;
  p->errors++;
  p->time += spent;
  if (spent > p->max_time) p->max_time = spent;
}

/// What threads share is this one's in the present section alone. What was not used yet has no time of its begin.
void use_for_this_call(CachedFile& cached) {
  cached.tag = kUnknownTag;
  for (Direction*& direction : cached.directions)
    if (direction && direction->first_time == 0) direction = nullptr;
  const Direction *read = cached.directions[kRead], *written = cached.directions[kWrite];
  if (read && written) cached.last = written->last_time > read->last_time ? kWrite : kRead;
}

bool fill(CachedFile& cached, uint64_t tag, Layer layer, OpenFile* file, uint32_t record) {
  const uint32_t handle = state.tracing && is_chosen(layer) ? handle_of(record) : 0;
  Shard* shard = shard_of(record, layer);
  if (!shard) return false;
  shard->flags |= file->flags;
  auto direction = [&](DirectionIndex i) {
    return shard->directions[i] ? at<Direction>(shard->directions[i]) : nullptr;
  };
  cached = {tag, {direction(kRead), direction(kWrite)}, file, shard, 2, {}, {}, handle};
  if (HEADRACE_UNLIKELY(is_shared(shard))) use_for_this_call(cached);
  set_thresholds(cached);
  return true;
}

/// What a tag's file was called, as far as its slot has not gone to another one since; else 0.
uint64_t hash_left_in_slot(uint64_t tag) {
  const OpenFile* file = file_of(tag);
  const auto age = [&] {
    return (__atomic_load_n(&file->generation, __ATOMIC_ACQUIRE) - static_cast<uint32_t>(tag >> 32)) & 0x3fffffff;
  };
  if (age() > 1) return 0;
  const uint64_t hash = __atomic_load_n(&file->hash, __ATOMIC_ACQUIRE);
  return age() <= 1 ? hash : 0;
}

/// In place of the slot of a file that was closed, which another file may have by now.
OpenFile nowhere{0, 0, 0, 0, 0, flag::offsets_unknown, 0, 0, 1, 1, 0, {}, 0, 0};

}  // namespace

bool fill_cache(CachedFile& cached, uint64_t tag, Layer layer) {
  OpenFile* file = file_of(tag);
  const uint32_t record = __atomic_load_n(&file->record, __ATOMIC_ACQUIRE);
  return is_current(tag) && record != 0 && fill(cached, tag, layer, file, record);
}

bool fill_with_closed(CachedFile& cached, uint64_t tag, uint64_t hash) {
  if (is_current(tag) && file_of(tag)->record != 0) return false;  // there is no memory
  if (hash == 0) hash = hash_left_in_slot(tag);
  const uint32_t record = hash != 0 ? find_latest(hash) : 0;
  if (!record) return false;
  Referenced kept(record);
  return fill(cached, kUnknownTag, Layer::kPosix, &nowhere, record);
}

Direction* new_direction(CachedFile& cached, DirectionIndex direction, uint64_t first_time) {
  Direction* found = direction_of(cached.shard, direction, first_time);
  if (found && found->shard == offset_of(cached.shard)) cached.directions[direction] = found;
  return found;
}

void count_switch(CachedFile& cached) {
  if (++cached.shard->switches == UINT32_MAX) cached.tag = kUnknownTag;  // the next operation gets a new shard
}

void take_shared(Fn function, Direction* d, DirectionIndex direction, uint64_t ticks) {
  d->time -= ticks;
  if (Profile* p = profile_of(function, moves(direction))) p->time -= ticks;
}

void count_untracked(uint64_t tag, DirectionIndex direction, int64_t result) {
  if (is_excluded(tag))
    count_excluded(tag, direction, result);
  else if (result >= 0 && state.enabled && !is_ignored(tag) && !state.paused.load(std::memory_order_relaxed))
    unattributed(direction, static_cast<uint64_t>(result));
}

void record_source(Fn function, const CachedFile& cached, const Operation& op, uint64_t place) {
  if (!state.tracing || is_left_out(RawKind::kRead, function, op.start, op.end)) return;
  if (state.choosy) record_waiting_regions();
  const auto size = static_cast<uint64_t>(op.result);
  record_always(
      {op.start, op.start, place, op.asked, size, cached.handle, static_cast<uint16_t>(function), moved_by(kRead), 0});
}

void count_refused(Fn function, DirectionIndex direction, uint64_t start, uint64_t place, uint64_t asked) {
  if (!state.enabled || state.paused.load(std::memory_order_relaxed)) return;
  const int error = errno;
  const uint64_t end = base::ticks();
  Update update;
  if (!update.enter_anew()) return unattributed(2, 0);
  count_failed_call(function, direction, end > start ? end - start : 0);
  record_operation(moved_by(direction), function, 0, start, end, place, asked, 0, error != 0 ? error : kUnknownError);
  update.leave();
  errno = error;
}

void count_failure(const CachedFile& cached, DirectionIndex direction, Fn function, const Operation& op,
                   uint64_t place) {
  const uint64_t start = op.start, spent = op.end > start ? op.end - start : 0;
  const uint32_t handle = cached.handle;
  const int error = errno != 0 ? errno : kUnknownError;
  Direction* d = direction_of(cached.shard, direction, start);
  if (d) {
    count_error(d);
    d->time += spent;
    d->last_time = start + spent;
  }
  count_failed_call(function, direction, spent);
  record_operation(moved_by(direction), function, handle, start, op.end, place, op.asked == kAsMoved ? 0 : op.asked, 0,
                   error);
}

}  // namespace headrace::capture
