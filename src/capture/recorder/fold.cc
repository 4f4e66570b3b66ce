#include "capture/recorder/fold.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

#include "base/clock.h"
#include "base/futex.h"
#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/call_sites.h"
#include "capture/recorder/fold_shards.h"
#include "capture/recorder/folded_names.h"
#include "capture/recorder/records.h"
#include "capture/recorder/runs.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kMaximumRollups = 128;
constexpr uint32_t kRollupBytes = 4096 + kFoldedNamesBytes;  // a roll-up with the blocks of all layers
constexpr uint64_t kEnough = 512;  // if threads that join free this part of the memory, files keep their records
constexpr uint64_t kFoldPatienceNs = 100'000'000;  // a thread that stays in its section longer is stopped: fold later
// State::folding. Third: somebody is to be woken.
enum : uint32_t { kGoesOn, kStopped, kStoppedForSome, kNeverGoesOn };
uint32_t rollups;
// After a fold that freed nothing, or could not stop the world, none is tried for so many times the time that it took.
constexpr uint64_t kPause = 16;
uint64_t next_fold_ns;
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

uint32_t add_rollup(const char* path, uint32_t length, uint64_t hash) {
  OpenReserve for_this;
  uint32_t record = add_record(hash, path, length, RecordKind::kDirectoryRollup);
  if (!record) return 0;
  for (Layer layer : {Layer::kPosix, Layer::kStdio})
    if (!complete_shard(record, layer)) return 0;
  begin_folded_names(record);
  ++rollups;
  return record;
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
    target = complete_shard(rollup, at<Shard>(s)->layer);
    if (!target || overflows(record, target)) return false;
  }
  if (!rollup) return false;
  if (record->last_close > at<Record>(rollup)->last_close) at<Record>(rollup)->last_close = record->last_close;
  for (uint32_t s = record->first_shard; s; s = at<Shard>(s)->next)
    fold_shard(s, targets[static_cast<uint32_t>(at<Shard>(s)->layer)], at<Shard>(s)->next == 0);
  fold_call_sites(at<Record>(rollup), record);
  if (record->kind == RecordKind::kFile)
    add_folded_name(rollup, name_of(record), record->name_length, record->generation);
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
  if (!rollup_for("/", 1)) return 0;
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

void never_resume() { state.folding.store(kNeverGoesOn); }
HEADRACE_AT_START bool never_resumes() { return state.folding.load(std::memory_order_relaxed) == kNeverGoesOn; }

bool stop_world() {
  if (never_resumes()) return false;
  if (!barrier_ready)
    barrier_ready = base::kernel_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  uint32_t before = kGoesOn;  // or it is stopped by a former attempt, and some wait
  state.folding.compare_exchange_strong(before, kStopped, std::memory_order_seq_cst);
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

void resume_world() {
  if (never_resumes()) return;
  if (state.folding.exchange(kGoesOn, std::memory_order_seq_cst) == kStoppedForSome) base::wake_all(state.folding);
}

void wait_while_stopped() {
  uint32_t now = kStopped;
  if (state.folding.compare_exchange_strong(now, kStoppedForSome, std::memory_order_acquire) || now == kStoppedForSome)
    base::wait_while(state.folding, kStoppedForSome);
}

bool fold_some() {
  const uint64_t begin = base::clock_ns(CLOCK_MONOTONIC);
  if (begin < next_fold_ns || never_resumes()) return false;
  uint32_t folded = 0;
  bool stopped = stop_world();
  if (stopped) {
    if (prepare_fold()) {
      rollup_for("/", 1);
      const uint64_t joined = join_shards();
      folded = joined != 0;
      if (joined < spool.header->limit / kEnough) folded += fold_least(spool.header->records / 4 + 1);
    }
    if (folded) {
      coalesce_released();
      rebuild_table();
      forget_cached_files();
    }
  }
  resume_world();
  const uint64_t end = base::clock_ns(CLOCK_MONOTONIC);
  next_fold_ns = folded ? 0 : end + kPause * (end - begin);
  return folded != 0;
}

uint32_t allocate_or_fold(uint32_t bytes) {
  uint32_t offset = allocate(bytes);
  if (!offset && fold_some()) offset = allocate(bytes);
  return offset;
}

uint32_t rollup_for(const char* path, uint32_t length) {
  // First of all the one that every path can go to, while there is memory.
  if (rollups == 0 && length > 1) rollup_for("/", 1);
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

HEADRACE_AT_START void reset_folds() {
  rollups = 0;
  next_fold_ns = 0;
  forget_fold_copy();
  barrier_ready = false;
  state.folding.store(kGoesOn);
}

}  // namespace headrace::capture
