#include "capture/recorder/transfer.h"

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
      offset = allocate(sizeof(Excluded));
    }
    update.leave();
    if (!offset) return unattributed(direction, result > 0 ? static_cast<uint64_t>(result) : 0);
  }
  auto* excluded = at<Excluded>(offset);
  excluded->operations[direction]++;
  if (result > 0) excluded->bytes[direction] += static_cast<uint64_t>(result);
}

}  // namespace

bool fill_cache(CachedFile& cached, uint64_t tag, Layer layer) {
  OpenFile* file = file_of(tag);
  if (!is_current(tag) || file->record == 0) return false;  // closed by another thread meanwhile
  const uint32_t handle = state.tracing && is_chosen(layer) ? handle_of(file->record) : 0;
  Shard* shard = shard_of(file->record, layer);
  if (!shard) return false;
  shard->flags |= file->flags;
  auto direction = [&](DirectionIndex i) {
    return shard->directions[i] ? at<Direction>(shard->directions[i]) : nullptr;
  };
  cached = {tag, {direction(kRead), direction(kWrite)}, file, shard, 2, {}, {}, handle};
  set_thresholds(cached);
  return true;
}

void count_switch(CachedFile& cached) {
  if (++cached.shard->switches == UINT32_MAX) cached.tag = kUnknownTag;  // the next operation gets a new shard
}

void count_untracked(uint64_t tag, DirectionIndex direction, int64_t result) {
  if (is_excluded(tag))
    count_excluded(tag, direction, result);
  else if (result >= 0 && state.enabled && !is_ignored(tag) && !state.paused.load(std::memory_order_relaxed))
    unattributed(direction, static_cast<uint64_t>(result));
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
  if (Profile* p = profile_of(function, moves(direction))) {
    p->calls++;
    p->errors++;
    p->time += spent;
    if (spent > p->max_time) p->max_time = spent;
  }
  record_operation(moved_by(direction), function, handle, start, op.end, place, op.asked == kAsMoved ? 0 : op.asked, 0,
                   error);
}

}  // namespace headrace::capture
