#include "capture/recorder/fold_shards.h"

#include "base/start_code.h"
#include "capture/recorder/apart.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/records.h"
#include "capture/recorder/runs.h"

namespace headrace::capture {
namespace {

uint32_t fold_copy;

/// 0: there is none.
uint32_t common_shard(uint32_t record, Layer layer) {
  uint32_t found = __atomic_load_n(&at<Record>(record)->first_shard, __ATOMIC_ACQUIRE);
  while (found && (at<Shard>(found)->thread != 0 || at<Shard>(found)->layer != layer)) found = at<Shard>(found)->next;
  return found;
}

/// What threads share frees more than it takes, but may find no room of its size before. It has as much on top of the
/// memory as that is; then what is kept for folds.
uint32_t allocate_for_all(uint32_t bytes) {
  OpenReserve for_this;
  if (spool.header->threads < kCrowd || spool.shared + bytes > spool.header->limit) return allocate(bytes);
  const uint32_t offset = allocate(bytes, Use::kThread);
  if (!offset) return allocate(bytes);
  spool.shared += bytes;
  return offset;
}

bool complete(Direction* direction) {
  if (!direction->detail) direction->detail = allocate_for_all(sizeof(Detail));
  return direction->detail != 0;
}

void keep_copy(Shard* target) {
  auto* copy = at<FoldCopy>(fold_copy);
  copy->shard = *target;
  for (uint32_t i = 0; i < 2; ++i) {
    copy->directions[i] = *at<Direction>(target->directions[i]);
    copy->details[i] = *at<Detail>(at<Direction>(target->directions[i])->detail);
  }
  copy->metadata = *at<Metadata>(target->metadata);
  if (copy->metadata.library) copy->library = *at<LibraryCounts>(copy->metadata.library);
}

/// Like count(), with the lock held; a roll-up whose count is full stops there.
void add_count(Metadata* target, uint32_t which, uint32_t amount) {
  uint32_t room = UINT32_MAX - target->count[which];
  target->count[which] += amount < room ? amount : room;
  if (amount > room) count_without_room({kNobodys, which, kUnknownTag, 0, 0, 0, amount - room}, true);
}

void add_metadata(Shard* target, const Shard& from) {
  Metadata* sum = at<Metadata>(target->metadata);
  for (uint32_t m = from.metadata; m; m = at<Metadata>(m)->next) {
    const Metadata& counts = *at<Metadata>(m);
    for (uint32_t i = 0; i < Metadata::kCounts; ++i) add_count(sum, i, counts.count[i]);
    sum->mapped_bytes += counts.mapped_bytes;
    for (uint32_t i = 0; i < 2; ++i) sum->system_bytes[i] += counts.system_bytes[i];
    if (counts.buffer_bytes > sum->buffer_bytes) sum->buffer_bytes = counts.buffer_bytes;
    const bool same_file = from.record == target->record;
    if (same_file && counts.size_at_open > sum->size_at_open) sum->size_at_open = counts.size_at_open;
    if (!counts.library || !sum->library) continue;
    for (uint32_t i = 0; i < LibraryCounts::kCounts; ++i)
      at<LibraryCounts>(sum->library)->count[i] += at<LibraryCounts>(counts.library)->count[i];
  }
}

uint32_t add_common_shard(uint32_t record, Layer layer) {
  OpenReserve for_this;
  return add_shard(record, 0, layer);
}

}  // namespace

Shard* complete_shard_there(uint32_t record, Layer layer) {
  const uint32_t found = common_shard(record, layer);
  if (!found) return nullptr;
  Shard* shard = at<Shard>(found);
  for (const uint32_t direction : shard->directions)
    if (!direction || !at<Direction>(direction)->detail) return nullptr;
  if (!shard->metadata) return nullptr;
  return static_cast<uint32_t>(layer) < kSystemLayers || at<Metadata>(shard->metadata)->library ? shard : nullptr;
}

Shard* complete_shard(uint32_t record, Layer layer) {
  if (Shard* there = complete_shard_there(record, layer)) return there;
  uint32_t found = common_shard(record, layer);
  if (!found && !(found = add_common_shard(record, layer))) return nullptr;
  Shard* shard = at<Shard>(found);
  for (uint32_t& direction : shard->directions) {
    if (!direction) {
      const uint32_t added = allocate_for_all(sizeof(Direction));
      if (!added) return nullptr;
      at<Direction>(added)->shard = found;
      direction = added;
    }
    if (!complete(at<Direction>(direction))) return nullptr;
  }
  if (!shard->metadata && !(shard->metadata = allocate_for_all(sizeof(Metadata)))) return nullptr;
  if (static_cast<uint32_t>(layer) < kSystemLayers) return shard;
  uint32_t& library = at<Metadata>(shard->metadata)->library;
  return library || (library = allocate_for_all(sizeof(LibraryCounts))) ? shard : nullptr;
}

bool prepare_fold() { return fold_copy || (fold_copy = allocate(sizeof(FoldCopy))); }
HEADRACE_AT_START void forget_fold_copy() { fold_copy = 0; }

void fold_shard(uint32_t victim, Shard* target, bool last_of_record) {
  Shard* from = at<Shard>(victim);
  Header* header = spool.header;
  keep_copy(target);
  header->fold_target = offset_of(target);
  header->fold_copy = fold_copy;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  header->fold_victim = victim;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  for (uint32_t i = 0; i < 2; ++i)
    if (from->directions[i]) add_direction(at<Direction>(target->directions[i]), *at<Direction>(from->directions[i]));
  add_metadata(target, *from);
  target->opens += from->opens;
  target->closes += from->closes;
  target->flags |= from->flags;
  if (from->record == target->record) target->switches += from->switches;
  target->meta_time += from->meta_time;
  if (from->max_meta_time > target->max_meta_time) target->max_meta_time = from->max_meta_time;
  if (!target->first_open || (from->first_open && from->first_open < target->first_open))
    target->first_open = from->first_open;
  if (last_of_record) add_count(at<Metadata>(target->metadata), Metadata::kFoldedFiles, 1);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  from->state = kFolded;  // from here on the harvester keeps the sum and skips the victim
  std::atomic_signal_fence(std::memory_order_seq_cst);
  header->fold_victim = 0;
}

void release_shard(uint32_t offset) {
  Shard* shard = at<Shard>(offset);
  for (uint32_t d : shard->directions) {
    if (!d) continue;
    if (at<Direction>(d)->detail) release(at<Direction>(d)->detail, sizeof(Detail));
    release(d, sizeof(Direction));
  }
  for (uint32_t m = shard->metadata; m;) {
    uint32_t next = at<Metadata>(m)->next;
    if (at<Metadata>(m)->library) release(at<Metadata>(m)->library, sizeof(LibraryCounts));
    release(m, sizeof(Metadata));
    m = next;
  }
  release(offset, sizeof(Shard));
}

}  // namespace headrace::capture
