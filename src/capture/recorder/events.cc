#include "capture/recorder/events.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/clock.h"
#include "base/kernel.h"
#include "capture/flush_layout.h"
#include "capture/recorder/flush.h"
#include "capture/recorder/node_identity.h"
#include "capture/recorder/on_demand.h"
#include "capture/recorder/path_handles.h"
#include "capture/recorder/process.h"
#include "capture/recorder/records.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/thread_names.h"
#include "capture/recorder/trace_choice.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kSmallestBlock = 4 << 10, kFirstBlock = 4 << 10, kLargestBlock = 1 << 20;
constexpr uint32_t kLeast = 256;  // of a block that is worth to be left to others
static_assert(kLeast >= sizeof(EventBlock) + 4 * sizeof(PackedEvent), "a thread's begin and an event, each whole");
constexpr uint64_t kPiece = 64 << 10;  // by which the file grows at least

struct EventFile {
  char* base;
  EventFileHeader* header;
  uint64_t begin;  // behind what stays when it is emptied
  uint64_t limit;  // less than what is mapped where the file system was full
  uint64_t mapped;
  uint64_t nobodys;  // the first of the blocks that ended threads left; 0: there is none
  char path[sizeof spool.path + sizeof kEvents];
};
constinit EventFile file{};

long open_file(int flags) {
  return base::kernel_call(SYS_openat, AT_FDCWD, file.path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/// Beyond RLIMIT_FSIZE the kernel sends a signal that kills.
bool may_hold_events(uint64_t bytes) {
  uint64_t limits[2];
  return base::kernel_call(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, limits) != 0 || bytes <= limits[0];
}

/// Blocks are reserved before the memory is touched: a store into a hole of a full tmpfs would raise SIGBUS.
bool grow_events(uint64_t need) {
  EventFileHeader* header = file.header;
  if (need <= header->grown) return true;
  const long fd = may_hold_events(need) ? open_file(O_RDWR) : -EFBIG;
  if (fd < 0) return false;
  uint64_t whole = std::min(std::max(need, header->grown + kPiece), file.limit);
  if (!may_hold_events(whole)) whole = need;
  long failure = base::kernel_call(SYS_fallocate, fd, 0, header->grown, whole - header->grown);
  if (failure != 0) failure = base::kernel_call(SYS_fallocate, fd, 0, header->grown, (whole = need) - header->grown);
  base::kernel_call(SYS_close, fd);
  if (failure == 0) header->grown = whole;
  if (failure == -ENOSPC || failure == -EDQUOT)
    file.limit = header->grown;  // others may have room again, as descriptors
  return failure == 0;
}

/// An entry of this many bytes, which counts once `used` includes it; null: no room. Lock held.
void* reserve(uint64_t bytes) {
  if (!file.base || file.header->full) return nullptr;
  const uint64_t begin = file.header->used;
  if (begin + bytes > file.limit || !grow_events(begin + bytes)) return nullptr;
  return file.base + begin;
}

void take(uint64_t bytes) {
  std::atomic_signal_fence(std::memory_order_release);
  __atomic_store_n(&file.header->used, file.header->used + bytes, __ATOMIC_RELEASE);
}

/// Lock held.
bool add_entry(EntryKind kind, uint32_t number, RegionKind region, const char* text, uint32_t length) {
  const uint64_t bytes = (sizeof(EventName) + length + 63) & ~uint64_t{63};
  auto* name = static_cast<EventName*>(reserve(bytes));
  if (!name) return false;
  *name = {kind, static_cast<uint32_t>(bytes), number, length, region};
  memcpy(name + 1, text, length);
  take(bytes);
  return true;
}

/// Lock held. 0: no room.
uint32_t add_name(const char* text, uint32_t length) {
  const uint32_t number = file.base ? file.header->names + 1 : 0;
  if (number == 0 || !add_entry(EntryKind::kName, number, {}, text, length)) return 0;
  return file.header->names = number;
}

/// Each block is four times as large as the one before: threads that do little take little. All threads that there were
/// so far find room for one.
uint32_t size_of_next(const EventBlock* last) {
  const uint64_t share = (file.limit - kEventsBegin) / (2 * (uint64_t{spool.header->threads} + 1)) & ~uint64_t{63};
  const auto most = static_cast<uint32_t>(std::clamp<uint64_t>(share, kSmallestBlock, kLargestBlock));
  return std::clamp(last ? last->bytes * 4 : kFirstBlock, kSmallestBlock, most);  // one that was taken over is small
}

uint32_t capacity_of(uint32_t bytes) {
  return static_cast<uint32_t>((bytes - sizeof(EventBlock)) / sizeof(PackedEvent));
}

EventBlock* block_at(uint64_t place) { return reinterpret_cast<EventBlock*>(file.base + place); }

/// Leaves what is behind the first `bytes` of a block to nobody. At any moment the file's blocks follow each other.
/// Lock held.
void cut(EventBlock* whole, uint32_t bytes) {
  if (whole->bytes - bytes < kLeast) return;
  const uint32_t left = whole->bytes - bytes;
  const auto place = static_cast<uint64_t>(reinterpret_cast<char*>(whole) - file.base) + bytes;
  *block_at(place) = {EntryKind::kEvents, left, 0, capacity_of(left), 0, file.nobodys, 0};
  file.nobodys = place;
  whole->capacity = capacity_of(bytes);
  __atomic_store_n(&whole->bytes, bytes, __ATOMIC_RELEASE);
}

/// What an ended thread left, as the first block of another one: a thread's later blocks are further back. Null: there
/// is none. Lock held.
EventBlock* take_nobodys(uint32_t thread, uint32_t wanted) {
  if (file.nobodys == 0) return nullptr;
  EventBlock* taken = block_at(file.nobodys);
  file.nobodys = taken->next;
  cut(taken, std::min(wanted, taken->bytes));
  taken->base = base::ticks();
  __atomic_store_n(&taken->thread, thread, __ATOMIC_RELEASE);
  return taken;
}

/// Lock held.
EventBlock* add_block(uint32_t thread, const EventBlock* last) {
  if (EventBlock* taken = last ? nullptr : take_nobodys(thread, kFirstBlock)) return taken;
  const uint32_t wanted = size_of_next(last);
  for (uint32_t bytes = wanted; bytes >= kSmallestBlock; bytes = bytes / 4 & ~uint32_t{63}) {
    auto* added = static_cast<EventBlock*>(reserve(bytes));
    if (!added) continue;
    *added = {EntryKind::kEvents, bytes, thread, capacity_of(bytes), 0, 0, base::ticks()};
    take(bytes);
    return added;
  }
  return nullptr;
}

/// Tries until it is done or no flush makes room; `attempt` returns what it made, null or 0 for want of room.
template <typename Attempt>
auto with_flushes(Attempt attempt) {
  constexpr int kAttempts = 64;  // other threads may take what a flush gave
  for (int i = 0;; ++i) {
    const uint32_t before = flushes_so_far();
    const auto made = attempt();
    if (made || i == kAttempts || !flush_events(before)) return made;
  }
}

bool is_full() { return !file.base || __atomic_load_n(&file.header->full, __ATOMIC_RELAXED) != 0; }

/// Zeros of this process alone take the place of the file.
void leave_mapping() {
  base::kernel_call(SYS_mmap, file.base, file.mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/// Some return their error, and leave errno as it was.
bool sets_errno(Fn function) {
  return function != Fn::posix_fallocate && function != Fn::posix_fadvise && function != Fn::readdir_r &&
         function != Fn::aio_error && function != Fn::aio_return;
}

}  // namespace

void create_event_file(uint64_t limit) {
  file = {};
  state.tracing = true;
  ++state.event_file;
  begin_thread_names();
  reset_flushes();
  if (!spool.backed) return;
  char* ending = stpcpy(file.path, spool.path) - strlen(".spool");
  strcpy(ending, kEvents);
  const long fd = open_file(O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return;
  const bool reserved = may_hold_events(kPiece) && base::kernel_call(SYS_fallocate, fd, 0, 0, kPiece) == 0;
  void* memory = reserved ? base::map_shared(static_cast<int>(fd), limit) : nullptr;
  base::kernel_call(SYS_close, fd);
  if (!memory) {
    base::kernel_call(SYS_unlinkat, AT_FDCWD, file.path, 0);
    return;
  }
  file.base = static_cast<char*>(memory);
  file.header = static_cast<EventFileHeader*>(memory);
  file.limit = file.mapped = limit;
  EventFileHeader* header = file.header;
  header->version = kEventVersion;
  header->header_bytes = kEventsBegin;
  header->limit = limit;
  file.begin = header->used = kEventsBegin;
  header->grown = kPiece;
  header->node = node_identity();
  std::atomic_signal_fence(std::memory_order_release);
  header->magic = kEventMagic;
}

void leave_event_file() {
  if (file.base) leave_mapping();  // a section that was interrupted may write once more
  file = {};
}

void isolate_event_file() {
  EventBlock* mine = self ? self->events : nullptr;
  if (!file.base) return;
  EventFileHeader header = *file.header;
  header.full = 1;
  const EventBlock kept = mine ? *mine : EventBlock{};
  leave_mapping();
  *file.header = header;
  if (mine) *mine = kept;
}

void trim_event_file() {
  if (!file.base) return;
  const uint64_t used = (file.header->used + 4095) & ~uint64_t{4095};
  if (base::kernel_call(SYS_truncate, file.path, used) == 0) file.header->grown = used;
}

bool add_region_name(uint32_t number, RegionKind kind, const char* text, uint32_t length) {
  return !is_full() && with_flushes([&] {
    SpoolLock lock;
    return add_entry(EntryKind::kRegion, number, kind, text, length);
  });
}

bool add_thread_name(uint32_t thread, const char* name, uint32_t length) {
  if (is_full()) return false;
  SpoolLock lock;
  return add_entry(EntryKind::kThreadName, thread, {}, name, length);
}

void note_filter() {
  char text[1500];
  if (!file.base) return;
  file.header->tick_shift = trace_filter().tick_shift;
  flush_header()->most_bytes = settings_in_force().trace_size;
  if (const uint32_t length = describe_filter(text, sizeof text)) add_entry(EntryKind::kFilter, 0, {}, text, length);
  file.begin = file.header->used;
}

uint32_t handle_of(uint32_t record) {
  Referenced kept(record);  // a fold may come while the lock is waited for
  auto* named = at<Record>(record);
  if (named->handle != 0 || is_full()) return named->handle;
  return with_flushes([named] {
    SpoolLock lock;
    if (named->handle == 0) named->handle = add_name(reinterpret_cast<const char*>(named + 1), named->name_length);
    return named->handle;
  });
}

uint32_t handle_of_path(const PathName& path) {
  if (const uint32_t record = take_existing(path.hash)) {
    const uint32_t handle = handle_of(record);
    drop_record(record);
    return handle;
  }
  static constinit OnDemand<PathHandles> kept;
  constexpr uint32_t kTooMany = ~uint32_t{0};  // where no flush would help
  if (is_full()) return 0;
  const uint32_t given = with_flushes([&] {
    SpoolLock lock;
    PathHandles* named = kept.get();
    if (!named) return kTooMany;
    if (const uint32_t known = named->find(path.hash, state.event_file)) return known;
    if (!named->may_give(state.event_file)) return kTooMany;
    const uint32_t handle = add_name(path.text, path.length);
    if (handle != 0) named->put(path.hash, state.event_file, handle);
    return handle;
  });
  return given == kTooMany ? 0 : given;
}

uint32_t name_for_events(const char* text, uint32_t length) {
  if (is_full()) return 0;
  return with_flushes([&] {
    SpoolLock lock;
    return add_name(text, length);
  });
}

void miss_messages(uint32_t count) {
  if (file.base) __atomic_fetch_add(&file.header->missed_messages, count, __ATOMIC_RELAXED);
}

void pass_foreign_message() {
  if (file.base) __atomic_fetch_add(&file.header->foreign_messages, 1, __ATOMIC_RELAXED);
}

namespace {

/// A thread that has something recorded is told of, from where it began on.
void tell_begin() {
  if (self->told || self->began == 0) return;
  self->told = true;
  commit_event(self->events, {self->began, self->began, 0, 0, 0, 0, 0, RawKind::kThreadBegin, 0});
}

}  // namespace

EventBlock* begin_events() {
  EventBlock* added = is_full() ? nullptr : with_flushes([] {
    SpoolLock lock;
    return add_block(self->number, self->events);
  });
  if (added) {
    self->events = added;
    tell_begin();
    note_thread_name();
    return added;
  }
  if (!is_full()) stop_recording(nullptr);
  __atomic_fetch_add(file.base ? &file.header->lost : &spool.header->lost_events, 1, __ATOMIC_RELAXED);
  return nullptr;
}

EventFileHeader* event_file() { return file.header; }
FlushHeader* flush_header() { return reinterpret_cast<FlushHeader*>(file.header + 1); }
const char* event_file_path() { return file.path; }
bool is_event_file_empty() { return file.header->used == file.begin; }

uint32_t event_file_fill() {
  if (is_full() || file.limit <= file.begin) return 0;
  return static_cast<uint32_t>((__atomic_load_n(&file.header->used, __ATOMIC_RELAXED) - file.begin) * 100 /
                               (file.limit - file.begin));
}

void reuse_event_file() {
  for (Thread* thread = state.threads.load(); thread; thread = thread->next) thread->events = nullptr;
  file.nobodys = 0;
  __atomic_store_n(&file.header->used, file.begin, __ATOMIC_RELEASE);
}

bool begin_emptied_events() {
  self->events = add_block(self->number, nullptr);
  if (self->events) tell_begin();
  return self->events != nullptr;
}

void end_thread_events() {
  Update update;
  if (!self->events && !self->told) return;
  if (!update.enter()) return;
  note_thread_name();
  const uint64_t now = base::ticks();
  if (self->told && !is_full()) record_always({now, now, 0, 0, 0, 0, 0, RawKind::kThreadEnd, 0});
  {
    SpoolLock lock;
    EventBlock* mine = self->events;
    self->events = nullptr;
    if (mine && file.base)
      cut(mine, static_cast<uint32_t>((sizeof(EventBlock) + mine->count * sizeof(PackedEvent) + 63) & ~uint64_t{63}));
  }
  update.leave();
}

void stop_recording(const char* why) {
  FlushHeader* told = flush_header();
  told->stopped_at = base::ticks();
  told->stopped_by = self->number;
  if (why) strncpy(told->why, why, sizeof told->why - 1);
  __atomic_store_n(&file.header->full, 1, __ATOMIC_RELEASE);
}

void record_call(Fn function, uint32_t handle, uint64_t start, uint64_t end, bool ok, uint32_t other) {
  record_operation(RawKind::kCall, function, handle, start, end, model::kUnknownPlace, other, 0,
                   ok ? 0 : (sets_errno(function) && errno != 0 ? errno : kUnknownError));
}

void leave_out(Account why) { block->accounts[static_cast<uint32_t>(why)]++; }

}  // namespace headrace::capture
