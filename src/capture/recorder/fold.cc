#include "capture/recorder/fold.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "base/clock.h"
#include "base/kernel.h"
#include "capture/recorder/call_sites.h"
#include "capture/recorder/records.h"
#include "capture/recorder/runs.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kMaximumRollups = 128;
constexpr uint32_t kRollupBytes = 4096;            // a roll-up with the blocks of all layers
constexpr uint64_t kFoldPatienceNs = 100'000'000;  // a thread that stays in its section longer is stopped: fold later
uint32_t rollups, fold_copy;
uint32_t fruitless;  // folds that freed nothing are not tried again at once
uint32_t stuck;      // after a fold that could not stop the world: how many more to pass over
bool barrier_ready;

void forget_cached_files() {
  for (Thread* thread = state.threads.load(); thread; thread = thread->next)
    for (auto& layer : thread->cache)
      for (CachedFile& cached : layer) cached.tag = 0;
}

uint32_t parent_length(const char* path, uint32_t length) {
  while (length > 1 && path[length - 1] == '/') --length;
  while (length > 1 && path[length - 1] != '/') --length;
  return length ? length : 1;
}

/// Roll-ups are called "/directory/*", which is no name that a file is likely to have. Lock held: the text is shared.
PathName rollup_name(const char* path, uint32_t directory) {
  static HEADRACE_LARGE char text[kPathMax + 2];
  uint32_t length = path[0] == '/' && directory < kPathMax ? directory : 0;
  memcpy(text, path, length);
  if (length == 0) text[length++] = '/';
  text[length++] = '*';
  return {text, length, hash_name(text, length)};
}

uint64_t bytes_moved(const Record* record) {
  uint64_t bytes = 0;
  for (uint32_t s = record->first_shard; s; s = at<Shard>(s)->next)
    for (uint32_t d : at<Shard>(s)->directions)
      if (d) bytes += bytes_of(*at<Direction>(d));
  return bytes;
}

bool may_fold(const Record* record) {
  return record->kind != RecordKind::kDirectoryRollup && __atomic_load_n(&record->references, __ATOMIC_ACQUIRE) == 0;
}

/// Class of a record's size, so that a quarter can be chosen without sorting: 0 for none, else 1 + log2.
uint32_t class_of(uint64_t bytes) { return bytes ? 64 - static_cast<uint32_t>(__builtin_clzll(bytes)) : 0; }

/// The complete shard of thread 0 that folds of a layer add to; false when memory ran out.
bool add_target(uint32_t rollup, Layer layer) {
  uint32_t shard = add_shard(rollup, 0, layer);
  if (!shard) return false;
  Shard* made = at<Shard>(shard);
  made->flags = 0;
  for (uint32_t& direction : made->directions) {
    uint32_t offset = allocate(sizeof(Direction)), detail = offset ? allocate(sizeof(Detail)) : 0;
    if (!detail) return false;
    at<Direction>(offset)->detail = detail;
    at<Direction>(offset)->shard = shard;
    direction = offset;
  }
  made->metadata = allocate(sizeof(Metadata));
  if (!made->metadata || static_cast<uint32_t>(layer) < kSystemLayers) return made->metadata != 0;
  at<Metadata>(made->metadata)->library = allocate(sizeof(LibraryCounts));
  return at<Metadata>(made->metadata)->library != 0;
}

uint32_t add_rollup(const char* path, uint32_t length, uint64_t hash) {
  uint32_t record = add_record(hash, path, length, RecordKind::kDirectoryRollup);
  if (!record) return 0;
  for (Layer layer : {Layer::kPosix, Layer::kStdio})
    if (!add_target(record, layer)) return 0;
  ++rollups;
  return record;
}

/// The roll-up's target of a layer; null when memory ran out while it was made.
Shard* fold_target(uint32_t rollup, Layer layer) {
  for (uint32_t s = at<Record>(rollup)->first_shard; s; s = at<Shard>(s)->next) {
    Shard* shard = at<Shard>(s);
    if (shard->thread != 0 || shard->layer != layer) continue;
    const bool library = static_cast<uint32_t>(layer) >= kSystemLayers;
    if (!shard->directions[0] || !shard->directions[1] || !shard->metadata) return nullptr;
    return library && !at<Metadata>(shard->metadata)->library ? nullptr : shard;
  }
  return nullptr;
}

/// The same, made for layers of libraries if there is none: most programs use none of these.
Shard* target_of(uint32_t rollup, Layer layer) {
  if (Shard* found = fold_target(rollup, layer)) return found;
  if (static_cast<uint32_t>(layer) < kSystemLayers || !add_target(rollup, layer)) return nullptr;
  return fold_target(rollup, layer);
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
  if (amount > room) __atomic_fetch_add(&spool.header->homeless_other, amount - room, __ATOMIC_RELAXED);
}

void add_metadata(Shard* target, const Shard& from) {
  Metadata* sum = at<Metadata>(target->metadata);
  for (uint32_t m = from.metadata; m; m = at<Metadata>(m)->next) {
    const Metadata& counts = *at<Metadata>(m);
    for (uint32_t i = 0; i < Metadata::kCounts; ++i) add_count(sum, i, counts.count[i]);
    sum->mapped_bytes += counts.mapped_bytes;
    for (uint32_t i = 0; i < 2; ++i) sum->system_bytes[i] += counts.system_bytes[i];
    if (counts.buffer_bytes > sum->buffer_bytes) sum->buffer_bytes = counts.buffer_bytes;
    if (!counts.library || !sum->library) continue;
    for (uint32_t i = 0; i < LibraryCounts::kCounts; ++i)
      at<LibraryCounts>(sum->library)->count[i] += at<LibraryCounts>(counts.library)->count[i];
  }
}

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

bool overflows(const Record* record, const Shard* target) {
  uint64_t opens = target->opens, closes = target->closes;
  for (uint32_t s = record->first_shard; s; s = at<Shard>(s)->next) {
    if (at<Shard>(s)->layer != target->layer) continue;
    opens += at<Shard>(s)->opens;
    closes += at<Shard>(s)->closes;
  }
  return opens > UINT32_MAX || closes > UINT32_MAX;
}

/// Adds a record to its roll-up and takes it out of the list; `link` is what points to it.
bool fold_record(uint32_t* link) {
  uint32_t offset = *link;
  Record* record = at<Record>(offset);
  uint32_t rollup = rollup_for(name_of(record), record->name_length);
  Shard* targets[kLayers] = {};
  for (uint32_t s = record->first_shard; rollup && s; s = at<Shard>(s)->next) {
    Shard*& target = targets[static_cast<uint32_t>(at<Shard>(s)->layer)];
    if (target) continue;
    target = target_of(rollup, at<Shard>(s)->layer);
    if (!target || overflows(record, target)) return false;
  }
  if (!rollup) return false;
  if (record->last_close > at<Record>(rollup)->last_close) at<Record>(rollup)->last_close = record->last_close;
  for (uint32_t s = record->first_shard; s; s = at<Shard>(s)->next)
    fold_shard(s, targets[static_cast<uint32_t>(at<Shard>(s)->layer)], at<Shard>(s)->next == 0);
  fold_call_sites(at<Record>(rollup), record);
  // A roll-up made just now stands in front of the list, perhaps right where `link` was the head.
  while (*link != offset) link = &at<Record>(*link)->next;
  *link = record->next;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  for (uint32_t s = record->first_shard; s;) {
    uint32_t next = at<Shard>(s)->next;
    release_shard(s);
    s = next;
  }
  for (uint32_t p = record->properties; p;) {
    const Property property = *at<Property>(p);
    release(p, static_cast<uint32_t>(sizeof(Property)) + property.key_length + property.value_length);
    spool.header->lost_properties++;
    p = property.next;
  }
  if (record->final_name)
    release(record->final_name, static_cast<uint32_t>(sizeof(Name)) + at<Name>(record->final_name)->length);
  release(offset, static_cast<uint32_t>(sizeof(Record)) + record->name_length);
  spool.header->records--;
  spool.header->folded_records++;
  return true;
}

/// Folds the `wanted` records that moved the fewest bytes; of the last class the older ones.
uint32_t fold_least(uint32_t wanted) {
  if (!rollup_for("/", 1)) return 0;  // first of all the one that every path can go to
  uint32_t classes[65] = {};
  for (uint32_t r = spool.header->first_record; r; r = at<Record>(r)->next) {
    Record* record = at<Record>(r);
    if (!may_fold(record)) continue;
    record->size_class = static_cast<uint8_t>(class_of(bytes_moved(record)));
    classes[record->size_class]++;
  }
  uint32_t limit = 0, below = 0;
  while (limit < 64 && below + classes[limit] < wanted) below += classes[limit++];
  // The list is newest first: of the last class skip as many as are not needed.
  uint32_t spare = below + classes[limit] > wanted ? below + classes[limit] - wanted : 0, folded = 0;
  uint32_t* link = &spool.header->first_record;
  while (*link) {
    Record* record = at<Record>(*link);
    uint32_t size_class = record->size_class;
    bool chosen = may_fold(record) && size_class <= limit && (size_class < limit || spare == 0);
    if (may_fold(record) && size_class == limit && spare) --spare;
    uint32_t here = *link;
    if (chosen && fold_record(link)) {
      ++folded;
      while (*link && *link == here) link = &at<Record>(*link)->next;
      continue;
    }
    link = &at<Record>(*link)->next;
  }
  return folded;
}

}  // namespace

bool stop_world() {
  if (!barrier_ready)
    barrier_ready = base::kernel_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  state.folding.store(1, std::memory_order_seq_cst);
  // Old kernels have no barrier of the private kind; the global one waits for a grace period and does the same.
  int command = barrier_ready ? MEMBARRIER_CMD_PRIVATE_EXPEDITED : MEMBARRIER_CMD_GLOBAL;
  bool stopped = base::kernel_call(SYS_membarrier, command, 0, 0) == 0;
  uint64_t deadline = base::clock_ns(CLOCK_MONOTONIC) + kFoldPatienceNs;
  for (Thread* thread = state.threads.load(); thread && stopped; thread = thread->next) {
    ThreadBlock* other = thread->block;
    if (!other || other == block || !__atomic_load_n(&other->taken, __ATOMIC_ACQUIRE)) continue;
    uint32_t attempt = 0;
    while (__atomic_load_n(&other->busy, __ATOMIC_ACQUIRE) && !__atomic_load_n(&other->parked, __ATOMIC_ACQUIRE)) {
      if (base::clock_ns(CLOCK_MONOTONIC) > deadline) {
        stopped = false;
        break;
      }
      base::pause_briefly(attempt++);
    }
  }
  return stopped;
}

void resume_world() { state.folding.store(0, std::memory_order_seq_cst); }

bool fold_some() {
  if (fruitless > 0 && fruitless++ % 256 != 0) return false;
  if (stuck > 0) return --stuck, false;
  uint32_t folded = 0;
  bool stopped = stop_world();
  if (stopped) {
    if (!fold_copy) fold_copy = allocate(sizeof(FoldCopy));
    if (fold_copy) folded = fold_least(spool.header->records / 4 + 1);
    if (folded) {
      coalesce_released();
      rebuild_table();
      forget_cached_files();
    }
  }
  resume_world();
  if (!stopped) stuck = 64;
  if (stopped) fruitless = folded ? 0 : fruitless + 1;
  return folded != 0;
}

uint32_t allocate_or_fold(uint32_t bytes) {
  uint32_t offset = allocate(bytes);
  if (!offset && fold_some()) offset = allocate(bytes);
  return offset;
}

uint32_t rollup_for(const char* path, uint32_t length) {
  for (uint32_t directory = parent_length(path, length);; directory = parent_length(path, directory)) {
    bool root = directory <= 1;
    PathName name = rollup_name(path, directory);
    uint32_t record = find_record(name.hash);
    if (record && at<Record>(record)->kind == RecordKind::kDirectoryRollup) return record;
    if (!record && (root || rollups < kMaximumRollups) && has_room(kRollupBytes + name.length))
      return add_rollup(name.text, name.length, name.hash);
    if (root) return 0;
  }
}

bool directory_was_folded(const char* path, uint32_t length) {
  if (rollups == 0) return false;
  for (uint32_t directory = parent_length(path, length);; directory = parent_length(path, directory)) {
    uint32_t record = find_record(rollup_name(path, directory).hash);
    if (record && at<Record>(record)->kind == RecordKind::kDirectoryRollup) return true;
    if (directory <= 1) return false;
  }
}

void reset_folds() {
  rollups = fold_copy = fruitless = stuck = 0;
  barrier_ready = false;
  state.folding.store(0);
}

}  // namespace headrace::capture
