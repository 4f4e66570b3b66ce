#include "base/kernel.h"
#include "capture/recorder/fold_shards.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {
namespace {

/// By the number of each thread that waits in a section, and of this one, the record that it may have a shard of.
class Hands {
 public:
  Hands() : bytes_((size_t{spool.header->threads} + 1) * sizeof(uint32_t)) {
    of_ = static_cast<uint32_t*>(base::map_anonymous(bytes_));
    for (Thread* thread = state.threads.load(); of_ && thread; thread = thread->next) {
      const ThreadBlock* its = thread->block;
      if (its && (its == block || __atomic_load_n(&its->parked, __ATOMIC_ACQUIRE))) of_[its->id] = its->in_hand;
    }
  }
  ~Hands() {
    if (of_) base::unmap(of_, bytes_);
  }
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;
  bool known() const { return of_ != nullptr; }
  bool may_hold(const Shard& shard) const {
    return shard.thread > spool.header->threads || of_[shard.thread] == shard.record;
  }

 private:
  size_t bytes_;
  uint32_t* of_;
};

uint64_t bytes_with_blocks(const Shard& shard) {
  uint64_t bytes = sizeof(Shard);
  for (const uint32_t d : shard.directions)
    if (d) bytes += sizeof(Direction) + (at<Direction>(d)->detail ? sizeof(Detail) : 0);
  for (uint32_t m = shard.metadata; m; m = at<Metadata>(m)->next)
    bytes += sizeof(Metadata) + (at<Metadata>(m)->library ? sizeof(LibraryCounts) : 0);
  return bytes;
}

bool joins(const Shard& shard, Layer layer, const Hands& hands) {
  return shard.layer == layer && shard.thread != 0 && !hands.may_hold(shard);
}

struct Joinable {
  uint32_t shards;
  uint64_t bytes, opens, closes, switches;
};

Joinable joinable_of(const Record& record, Layer layer, const Hands& hands) {
  Joinable sum{};
  for (uint32_t s = record.first_shard; s; s = at<Shard>(s)->next) {
    const Shard& shard = *at<Shard>(s);
    const bool is_target = shard.layer == layer && shard.thread == 0;
    if (!is_target && !joins(shard, layer, hands)) continue;
    sum.opens += shard.opens;
    sum.closes += shard.closes;
    sum.switches += shard.switches;
    if (is_target) continue;
    sum.shards++;
    sum.bytes += bytes_with_blocks(shard);
  }
  return sum;
}

uint64_t join_record(uint32_t offset, Layer layer, const Hands& hands) {
  Record* record = at<Record>(offset);
  const Joinable sum = joinable_of(*record, layer, hands);
  constexpr uint64_t kMost = UINT32_MAX - 1;
  if (sum.shards < kCrowd || sum.bytes <= kCompleteBytes + kCompleteBytes / 2) return 0;
  if (sum.opens >= kMost || sum.closes >= kMost || sum.switches >= kMost) return 0;
  Shard* target = complete_shard(offset, layer);
  if (!target) return 0;
  for (uint32_t* link = &record->first_shard; *link;) {
    const uint32_t s = *link;
    if (!joins(*at<Shard>(s), layer, hands)) {
      link = &at<Shard>(s)->next;
      continue;
    }
    fold_shard(s, target, false);
    *link = at<Shard>(s)->next;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    release_shard(s);
  }
  if (record->shared == kOwn) record->shared = kShared;
  __atomic_store_n(&spool.crowded, true, __ATOMIC_RELAXED);
  return sum.bytes - kCompleteBytes;
}

}  // namespace

uint64_t join_shards() {
  const Hands hands;
  uint64_t bytes = 0;
  if (!hands.known() || spool.header->threads < kCrowd) return 0;
  for (uint32_t r = spool.header->first_record; r; r = at<Record>(r)->next)
    for (uint32_t layer = 0; layer < kLayers; ++layer) bytes += join_record(r, static_cast<Layer>(layer), hands);
  return bytes;
}

}  // namespace headrace::capture
