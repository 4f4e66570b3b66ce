#include "capture/recorder/records.h"

#include <string.h>

#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/apart.h"
#include "capture/recorder/call_sites.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/fold_shards.h"
#include "capture/recorder/folded_names.h"
#include "capture/recorder/shared_shards.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kBytesPerSlot = 96;  // a record with its blocks takes at least this much, so the table is never full

/// The record's place in the table, or the empty one where it would be. The first kNearSlots of the table are looked
/// through first, some of them: records that are few then lie on one page.
uint32_t* record_slot(uint64_t hash) {
  constexpr uint32_t kNearSlots = 1024, kTried = 8;
  const auto low = static_cast<uint32_t>(hash);
  for (uint32_t n = 0; n < kTried; ++n) {
    uint32_t* slot = &state.table[(low + n) % kNearSlots];
    const uint32_t record = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (record == 0 || at<Record>(record)->hash == hash) return slot;
  }
  uint32_t i = low & state.table_mask;
  for (;; i = (i + 1) & state.table_mask) {
    uint32_t record = __atomic_load_n(&state.table[i], __ATOMIC_ACQUIRE);
    if (record == 0 || at<Record>(record)->hash == hash) return &state.table[i];
  }
}

bool is_shared_record(uint32_t record) {
  return __atomic_load_n(&at<Record>(record)->shared, __ATOMIC_ACQUIRE) != kOwn;
}

/// Null: there is no memory, or the record is one that threads share, or should be.
Shard* own_shard(uint32_t record, Layer layer) {
  auto id = static_cast<uint16_t>(block->id);
  uint32_t others = 0;
  for (uint32_t o = __atomic_load_n(&at<Record>(record)->first_shard, __ATOMIC_ACQUIRE); o; o = at<Shard>(o)->next)
    if (at<Shard>(o)->thread == id && at<Shard>(o)->layer == layer) {
      auto* shard = at<Shard>(o);
      if (HEADRACE_UNLIKELY(shard->opens >= UINT32_MAX - 1 || shard->closes >= UINT32_MAX - 1 ||
                            shard->switches == UINT32_MAX))
        break;
      take_in_hand(shard);
      return shard;
    } else {
      others += at<Shard>(o)->layer == layer;
    }
  if (others >= kCrowd && __atomic_load_n(&spool.crowded, __ATOMIC_RELAXED)) return nullptr;
  Referenced kept(record);
  SpoolLock lock;
  uint32_t offset = add_shard(record, id, layer);
  if (!offset && fold_some() && !is_shared_record(record)) offset = add_shard(record, id, layer);
  if (!offset) return nullptr;
  take_in_hand(at<Shard>(offset));
  return at<Shard>(offset);
}

/// Null: there is no memory.
Direction* add_direction_to(Shard* shard, DirectionIndex index, uint64_t first_time) {
  Referenced kept(shard->record);
  SpoolLock lock;
  uint32_t offset = allocate_or_fold(sizeof(Direction));
  if (!offset) return nullptr;
  auto* direction = at<Direction>(offset);
  direction->first_time = first_time;
  direction->shard = offset_of(shard);
  std::atomic_signal_fence(std::memory_order_release);
  shard->directions[index] = offset;
  make_sites(at<Record>(shard->record));
  return direction;
}

bool has_left(uint32_t record) {
  return (__atomic_load_n(&at<Record>(record)->state, __ATOMIC_RELAXED) & kNameLeft) != 0;
}

/// Whether what the kernel found is the file of a record that has its name.
bool is_same(uint32_t record, FileIdentity found) {
  if (found == 0) return true;
  uint64_t& file = at<Record>(record)->file;
  uint64_t known = __atomic_load_n(&file, __ATOMIC_RELAXED);
  if (HEADRACE_LIKELY(known == found)) return true;
  const RecordKind kind = at<Record>(record)->kind;
  if (kind == RecordKind::kDirectoryRollup || kind == RecordKind::kDataset) return true;
  return known == 0 && (__atomic_compare_exchange_n(&file, &known, found, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                        known == found);
}

constexpr int kFormerFiles = 16;  // that are looked through

/// The record of an earlier file of this name that has the name again; 0: none has. Lock held.
uint32_t returned(uint32_t latest, FileIdentity found) {
  int looked_at = 0;
  for (uint32_t each = latest; each && looked_at < kFormerFiles; each = at<Record>(each)->former, ++looked_at) {
    const Record* record = at<Record>(each);
    if (found == 0 ? each == latest && record->final_name == 0 : record->file == found) return each;
  }
  return 0;
}

/// Lock held.
void put_first(uint32_t latest, uint32_t record) {
  uint32_t* link = &at<Record>(latest)->former;
  while (*link && *link != record) link = &at<Record>(*link)->former;
  if (*link != record) return;
  *link = at<Record>(record)->former;
  at<Record>(record)->former = latest;
  __atomic_store_n(record_slot(at<Record>(record)->hash), record, __ATOMIC_RELEASE);
}

void give_name_back(uint32_t record) {
  at<Record>(record)->final_name = 0;
  __atomic_fetch_and(&at<Record>(record)->state, static_cast<uint8_t>(~kNameLeft), __ATOMIC_RELEASE);
}

bool table_has_room() { return spool.header->records + 1 < state.table_mask - state.table_mask / 4; }

uint32_t insert(const PathName& name, RecordKind kind, FileIdentity found) {
  SpoolLock lock;
  if (uint32_t record = find_record(name.hash); record && is_same(record, found))
    return take_reference(record);  // another thread was quicker
  for (int attempt = 0; attempt < 2; ++attempt) {
    const uint32_t latest = find_latest(name.hash);  // a fold takes it away
    if (latest) __atomic_fetch_or(&at<Record>(latest)->state, kNameLeft, __ATOMIC_RELAXED);
    if (uint32_t record = latest ? returned(latest, found) : 0) {
      put_first(latest, record);
      give_name_back(record);
      return take_reference(record);
    }
    uint32_t record = table_has_room() ? add_record(name.hash, name.text, name.length, kind) : 0;
    if (record) {
      at<Record>(record)->file = found;
      if (directory_was_folded(name.text, name.length))
        __atomic_fetch_or(&at<Record>(record)->state, kPartial, __ATOMIC_RELAXED);
      return take_reference(record);
    }
    if (!fold_some()) break;
  }
  const uint32_t rollup = rollup_for(name.text, name.length);
  if (!rollup) return 0;
  if (kind == RecordKind::kFile) add_folded_name(rollup, name.text, name.length, 0);
  return take_reference(rollup);
}

}  // namespace

HEADRACE_AT_START bool create_table(uint64_t limit) {
  uint32_t slots = 1024;
  while (slots < limit / kBytesPerSlot) slots *= 2;
  void* memory = base::map_anonymous(slots * sizeof(uint32_t));
  if (!memory) return false;
  if (state.table) base::unmap(state.table, (size_t{state.table_mask} + 1) * sizeof(uint32_t));
  state.table = static_cast<uint32_t*>(memory);
  state.table_mask = slots - 1;
  return true;
}

uint32_t find_latest(uint64_t hash) { return __atomic_load_n(record_slot(hash), __ATOMIC_ACQUIRE); }

uint32_t find_record(uint64_t hash) {
  const uint32_t record = find_latest(hash);
  return record && HEADRACE_UNLIKELY(has_left(record)) ? 0 : record;
}

uint32_t add_record(uint64_t hash, const char* name, uint32_t length, RecordKind kind) {
  uint32_t offset = allocate(static_cast<uint32_t>(sizeof(Record)) + length);
  if (!offset) return 0;
  auto* record = at<Record>(offset);
  record->hash = hash;
  record->kind = kind;
  record->name_length = length;
  memcpy(record + 1, name, length);
  record->next = spool.header->first_record;
  std::atomic_signal_fence(std::memory_order_release);
  spool.header->first_record = offset;
  spool.header->records++;
  if (const uint32_t former = find_latest(hash)) {
    record->former = former;
    record->generation = at<Record>(former)->generation + 1;
  }
  __atomic_store_n(record_slot(hash), offset, __ATOMIC_RELEASE);
  return offset;
}

void rebuild_table() {
  memset(state.table, 0, (size_t{state.table_mask} + 1) * sizeof(uint32_t));
  for (uint32_t record = spool.header->first_record; record; record = at<Record>(record)->next)
    at<Record>(record)->former = 0;
  // The newest come first; but the file that has a name now stands before all others of that name.
  for (uint32_t record = spool.header->first_record; record; record = at<Record>(record)->next) {
    uint32_t* slot = record_slot(at<Record>(record)->hash);
    if (*slot == 0) {
      *slot = record;
    } else if (has_left(*slot) && !has_left(record)) {
      at<Record>(record)->former = *slot;
      *slot = record;
    } else {
      at<Record>(record)->former = at<Record>(*slot)->former;
      at<Record>(*slot)->former = record;
    }
  }
}

uint32_t take_existing(uint64_t hash) {
  uint32_t record = find_record(hash);
  return record ? take_reference(record) : 0;
}

uint32_t take_record(const PathName& name, RecordKind kind, FileIdentity found) {
  uint32_t record = find_record(name.hash);
  return HEADRACE_LIKELY(record && is_same(record, found)) ? take_reference(record) : insert(name, kind, found);
}

uint32_t add_shard(uint32_t record, uint32_t thread_id, Layer layer) {
  uint32_t offset = allocate(sizeof(Shard));
  if (!offset) return 0;
  auto* shard = at<Shard>(offset);
  shard->record = record;
  shard->thread = static_cast<uint16_t>(thread_id);
  shard->layer = layer;
  shard->flags = (at<Record>(record)->state & kPartial) != 0 ? flag::partial : 0;
  shard->next = at<Record>(record)->first_shard;
  std::atomic_signal_fence(std::memory_order_release);
  __atomic_store_n(&at<Record>(record)->first_shard, offset, __ATOMIC_RELEASE);
  return offset;
}

Shard* shard_of(uint32_t record, Layer layer) {
  if (!record) return nullptr;  // another thread closed the file just now
  Shard* shard = is_shared_record(record) ? nullptr : own_shard(record, layer);
  return shard ? shard : shard_without_room(record, layer);
}

Direction* direction_of(Shard* shard, DirectionIndex index, uint64_t first_time) {
  take_in_hand(shard);
  if (const uint32_t known = shard->directions[index]) {
    if (at<Direction>(known)->first_time == 0) at<Direction>(known)->first_time = first_time;
    return at<Direction>(known);
  }
  if (Direction* added = add_direction_to(shard, index, first_time)) return added;
  Shard* shared = shard_without_room(shard->record, shard->layer);
  return shared ? direction_of(shared, index, first_time) : nullptr;
}

Metadata* metadata_of(Shard* shard) {
  take_in_hand(shard);
  if (shard->metadata) return at<Metadata>(shard->metadata);
  {
    Referenced kept(shard->record);
    SpoolLock lock;
    shard->metadata = allocate_or_fold(sizeof(Metadata));
  }
  if (shard->metadata) return at<Metadata>(shard->metadata);
  Shard* shared = shard_without_room(shard->record, shard->layer);
  return shared ? at<Metadata>(shared->metadata) : nullptr;
}

void count(Shard* shard, Metadata::Count which, uint32_t amount) {
  Metadata* metadata = metadata_of(shard);
  const ApartCall without{kNobodys, which, kUnknownTag, 0, 0, 0, amount};
  if (!metadata) return count_without_room(without, true);
  if (HEADRACE_UNLIKELY(metadata->count[which] > UINT32_MAX - amount)) {
    Referenced kept(shard->record);
    SpoolLock lock;
    uint32_t offset = allocate(sizeof(Metadata));
    if (!offset) return count_without_room(without, true);
    at<Metadata>(offset)->next = shard->metadata;
    std::atomic_signal_fence(std::memory_order_release);
    shard->metadata = offset;
    metadata = at<Metadata>(offset);
  }
  metadata->count[which] += amount;
}

void link_profile(uint32_t offset, uint16_t function, uint8_t moves) {
  auto* added = at<Profile>(offset);
  added->function = function;
  added->direction = moves;
  added->next = block->used_profiles;
  __atomic_store_n(&block->used_profiles, offset, __ATOMIC_RELEASE);  // other threads walk the chain
}

Profile* add_profile(Fn function, uint8_t moves) {
  SpoolLock lock;
  uint32_t offset = allocate(sizeof(Profile), Use::kThread);
  if (!offset) return nullptr;
  link_profile(offset, static_cast<uint16_t>(function), moves);
  block->profiles[static_cast<uint32_t>(function)] = offset;
  return at<Profile>(offset);
}

}  // namespace headrace::capture
