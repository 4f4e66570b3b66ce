#include "capture/recorder/transfer.h"

#include "capture/recorder/flags.h"
#include "capture/recorder/regions.h"
#include "capture/recorder/trace_choice.h"

namespace headrace::capture {
namespace {

void count_in(Profile* p, bool ok, uint64_t bytes, uint64_t spent) {
  p->calls++;
  p->errors += !ok;
  p->bytes += bytes;
  p->time += spent;
  if (spent > p->max_time) p->max_time = spent;
}

void count_failed_call(Fn function, DirectionIndex direction, uint64_t spent) {
  if (Profile* p = profile_of(function, moves(direction))) return count_in(p, false, 0, spent);
  count_without_room({function, kDoesOther, kUnknownTag, -1, 0, spent}, false);
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
  take_reference(record);
  drop_record(self->closed_file);
  self->closed_file = record;
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

void count_excluded(Fn function, uint64_t tag, DirectionIndex direction, int64_t result) {
  const auto call = [&] { return ApartCall{function, does(direction), tag, result, 0, 0}; };
  // No section: a signal handler may come between, so the counts are changed by single instructions.
  if (Update update; !block && update.enter()) update.leave();  // the thread's first operation
  ThreadBlock* b = block;
  if (!b) return count_apart(call());
  uint32_t& offset = b->excluded[static_cast<uint32_t>(tag) % kExclusionRules];
  if (HEADRACE_UNLIKELY(!offset)) {
    Update update;
    if (!update.enter()) return count_apart(call());
    {
      SpoolLock lock;
      offset = allocate(sizeof(Excluded), Use::kThread);
    }
    if (!offset) count_without_room(call(), false);
    update.leave();
    if (!offset) return;
  }
  auto* excluded = at<Excluded>(offset);
  excluded->operations[direction]++;
  if (result > 0) excluded->bytes[direction] += static_cast<uint64_t>(result);
}

void count_untracked(const ApartCall& seen, int fd, const Apart* why) {
  ApartCall call = seen;
  if (is_excluded(call.tag))
    return count_excluded(call.function, call.tag, call.does == kDoesRead ? kRead : kWrite, call.result);
  if (call.result < 0 || !state.enabled || is_ignored(call.tag) || state.paused.load(std::memory_order_relaxed)) return;
  if (call.end == 0) call.end = base::ticks();
  if (call.start == 0) call.start = call.end;
  Update update;
  if (!update.enter_anew()) return count_apart(call);
  const DirectionIndex direction = call.does == kDoesRead ? kRead : kWrite;
  const auto size = static_cast<uint64_t>(call.result);
  const uint64_t spent = call.end > call.start ? call.end - call.start : 0;
  Profile* p = call.half ? nullptr : profile_of(call.function, moves(direction));
  if (p) count_in(p, true, size, spent);
  add_to_series(block, call.start, call.end, size, direction);
  count_size(block, intercept::is_stdio(call.function) ? Layer::kStdio : Layer::kPosix, direction, size);
  record_operation(moved_by(direction), call.function, 0, call.start, call.end, model::kUnknownPlace, size, size, 0);
  if (p || call.half)
    count_without_record(call, why ? *why : why_without_record(fd));
  else
    count_without_room(call, false);
  update.leave();
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
  if (!update.enter_anew()) {
    count_apart({function, does(direction), kUnknownTag, -1, start, end});
    errno = error;
    return;
  }
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
