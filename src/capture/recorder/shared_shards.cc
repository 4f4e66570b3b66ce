#include "capture/recorder/shared_shards.h"

#include "capture/recorder/fold.h"
#include "capture/recorder/fold_shards.h"
#include "capture/recorder/records.h"

namespace headrace::capture {
namespace {

bool try_to_use(uint8_t& shared) {
  uint8_t free = kShared;
  return __atomic_compare_exchange_n(&shared, &free, kInUse, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/// Waits like SpoolLock: a fold need not. One that came meanwhile goes on, and this thread behind it.
void wait_to_use(uint8_t& shared) {
  uint32_t attempt = 0;
  for (;;) {
    __atomic_store_n(&block->parked, 1, __ATOMIC_RELEASE);
    for (;;)
      if (state.folding.load(std::memory_order_acquire) != 0 && !never_resumes())
        wait_while_stopped();
      else if (try_to_use(shared) || state.alone)
        break;
      else
        base::pause_briefly(attempt++);
    __atomic_exchange_n(&block->parked, 0, __ATOMIC_SEQ_CST);  // before the next look at `folding`, for every processor
    if (state.folding.load(std::memory_order_seq_cst) == 0 || never_resumes()) return;
    __atomic_store_n(&block->parked, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&shared, kShared, __ATOMIC_RELEASE);
  }
}

void use_record(uint32_t record) {
  if (block->held == record) return;
  if (block->held) give_up_shared();
  take_reference(record);  // until it is given up
  SignalsBlocked::begin(&self->signals);
  uint8_t& shared = at<Record>(record)->shared;
  if (!try_to_use(shared)) wait_to_use(shared);
  block->held = record;
}

/// 0: there is none, and no memory for one.
uint32_t rollup_of(uint32_t record) {
  Referenced kept(record);
  SpoolLock lock;
  Record* lacks = at<Record>(record);
  if (lacks->kind == RecordKind::kDirectoryRollup) return record;
  __atomic_fetch_or(&lacks->state, kPartial, __ATOMIC_RELAXED);
  return rollup_for(name_of(lacks), lacks->name_length);
}

}  // namespace

void release_shared(ThreadBlock* left) {
  const uint32_t record = left->held;
  if (!record) return;
  __atomic_store_n(&at<Record>(record)->shared, kShared, __ATOMIC_RELEASE);
  left->held = 0;
  drop_record(record);
}

void give_up_shared() {
  release_shared(block);
  SignalsBlocked::end(self->signals);
}

Shard* shared_shard(uint32_t record, Layer layer) {
  use_record(record);
  Shard* shard = complete_shard_there(record, layer);
  if (HEADRACE_UNLIKELY(!shard)) {
    SpoolLock lock;
    shard = complete_shard(record, layer);
    if (!shard && fold_some()) shard = complete_shard(record, layer);
  }
  return shard && shard->opens < UINT32_MAX - 1 && shard->closes < UINT32_MAX - 1 ? shard : nullptr;
}

void share(uint32_t record) {
  uint8_t own = kOwn;
  __atomic_compare_exchange_n(&at<Record>(record)->shared, &own, kShared, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

Shard* shard_without_room(uint32_t record, Layer layer) {
  Referenced kept(record);  // the caller may have a shard of it in hand while this waits for a roll-up's
  share(record);
  if (Shard* shard = shared_shard(record, layer)) return shard;
  const uint32_t rollup = rollup_of(record);
  if (!rollup || rollup == record) return nullptr;
  share(rollup);
  return shared_shard(rollup, layer);
}

}  // namespace headrace::capture
