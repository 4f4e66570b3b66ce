#include "capture/recorder/spool.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/futex.h"
#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/fold.h"

namespace headrace::capture {
namespace {

constexpr uint64_t kFoldReserve =
    16 << 10;                              // only a fold may use the last of the memory: it needs roll-ups to fold into
constexpr uint64_t kThreadShare = 5;       // records leave this part of the memory to threads that start later
constexpr uint32_t kSizeClasses = 128;     // released blocks by units of 64 bytes; larger ones are rare and not reused
constexpr uint64_t kFirstSlab = 32 << 10;  // what a process needs that does little: later it may have no descriptor
constexpr uint64_t kSmallSlab = 16 << 10;  // by which its spool grows if it does more
enum : uint32_t { kFree, kHeld, kWaitedFor };  // the last: who gives the lock up wakes somebody
std::atomic<uint32_t> lock_word;
uint32_t released[kSizeClasses];
constexpr size_t kLongestDirectory = 199;
char notes_directory[kLongestDirectory + 1];
uint64_t created_ns;
bool lacks_descriptor;  // or was interrupted: the next attempt to grow may succeed
bool was_without;       // the same, of the last attempt of all

// Capture's own calls go straight to the kernel: they must not be seen by wrappers, here or in another library.
long open_spool(int flags, mode_t mode) {
  return base::kernel_call(SYS_openat, AT_FDCWD, spool.path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
}

/// Beyond RLIMIT_FSIZE the kernel does not just refuse: it sends SIGXFSZ, which kills.
bool may_be_as_large(uint64_t bytes) {
  uint64_t limits[2];
  return base::kernel_call(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, limits) != 0 || bytes <= limits[0];
}

/// Where addresses behind the spool are free, for more of it: the kernel gives them out from the top down, and
/// processes that use what lies between are rare. Each spool of a line of forked processes has another place.
void* far_below() {
  constexpr uintptr_t kDistance = uintptr_t{256} << 30, kApart = uintptr_t{4} << 30;  // at most as large as a spool
  static uint32_t spools;
  const auto known = reinterpret_cast<uintptr_t>(state.files), below = kDistance + spools++ % 16 * kApart;
  return known > 2 * kDistance ? reinterpret_cast<void*>((known - below) & ~(kSlab - 1)) : nullptr;
}

/// Addresses up to `need`, where threads need more than the memory that was mapped at the start: a limit on addresses
/// counts all that is mapped, and a program may set one at any time. Where they are taken, or the limit is reached,
/// threads have no more from then on.
void map_more(uint64_t need) {
  constexpr uint64_t kPiece = 1 << 20;
  const uint64_t most = (spool.header->limit + spool.thread_room) & ~uint64_t{4095};
  const uint64_t want = std::min((need + kPiece - 1) / kPiece * kPiece, most);
  if (need > want) return;
  const long fd = spool.backed ? open_spool(O_RDWR, 0) : -1;
  if (spool.backed && fd < 0) {
    lacks_descriptor = true;
    return;
  }
  const int kind = spool.backed ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  char* place = spool.base + spool.mapped;
  const long found = base::kernel_call(SYS_mmap, place, want - spool.mapped, PROT_READ | PROT_WRITE,
                                       kind | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, spool.backed ? spool.mapped : 0);
  if (fd >= 0) base::kernel_call(SYS_close, fd);
  if (found != reinterpret_cast<long>(place)) {
    if (found > 0) base::unmap(reinterpret_cast<void*>(found), want - spool.mapped);  // kernels before 4.17
    spool.thread_room = spool.mapped - spool.header->limit;
    spool.limit = std::min(spool.limit, spool.mapped);
    return;
  }
  spool.mapped = want;
  if (!spool.backed) spool.header->grown = want;
}

bool grow(uint64_t need) {
  Header* header = spool.header;
  if (!spool.backed || header->growth_failed) return need <= header->grown;
  // Each page takes a microsecond or two to get and to give back, which is much to a short process.
  const uint64_t step = need < kSlab ? kSmallSlab : kSlab;
  uint64_t want = (need + step - 1) / step * step;
  want = std::min({want, spool.limit, spool.mapped});
  if (want < need) return false;
  long fd = may_be_as_large(want) ? open_spool(O_RDWR, 0) : -EFBIG;
  // Blocks are reserved before the memory is touched: a store into a hole of a full tmpfs would raise SIGBUS.
  long failure = fd < 0 ? fd : base::kernel_call(SYS_fallocate, fd, 0, header->grown, want - header->grown);
  bool reserved = failure == 0;
  if (fd >= 0) base::kernel_call(SYS_close, fd);
  if (reserved)
    header->grown = want;
  else if (failure == -ENOSPC || failure == -EDQUOT || failure == -EFBIG || failure == -ENOENT)
    header->growth_failed = 1;
  else
    lacks_descriptor = true;
  return reserved;
}

/// What the spool can grow to: less than the limit once the file system was full.
uint64_t reachable() { return spool.header->growth_failed ? spool.header->grown : spool.limit; }

/// What only folds may take.
HEADRACE_AT_START uint64_t fold_reserve() {
  return std::min(std::min(reachable(), spool.header->limit) / kThreadShare, kFoldReserve);
}

/// What threads take beyond their share comes on top; and all of it where records and folds have taken the share.
void make_room_for_threads(uint64_t bytes) {
  const uint64_t memory = spool.header->limit, share = memory / kThreadShare, taken = spool.threads + bytes;
  const uint64_t end = spool.header->used + bytes + 64 + fold_reserve();
  const uint64_t needed = std::max(memory + (taken < share ? 0 : taken - share), end);
  spool.limit = std::max(spool.limit, std::min(needed, memory + spool.thread_room));
}

HEADRACE_AT_START uint64_t kept_back(Use use) {
  if (state.folding.load(std::memory_order_relaxed) || spool.reserve_open) return 0;
  const uint64_t share = std::min(reachable(), spool.header->limit) / kThreadShare, taken = spool.threads;
  return fold_reserve() + (use == Use::kRecord && taken < share ? share - taken : 0);
}

/// A released block of at least `least` units, cut to `units`; zeroed. 0: none.
HEADRACE_AT_START uint32_t reuse(uint32_t least, uint32_t units) {
  uint32_t most = least == units ? units : kSizeClasses - 1;
  for (uint32_t size = least; size <= most && size < kSizeClasses; ++size) {
    uint32_t offset = released[size];
    if (!offset) continue;
    released[size] = *at<uint32_t>(offset);
    if (size > units) release(offset + units * 64, (size - units) * 64);
    memset(at<char>(offset), 0, size_t{units} * 64);
    return offset;
  }
  return 0;
}

/// printf would do, but touches more pages of the C library than a short process has.
HEADRACE_AT_START char* digits(char* out, uint64_t number, unsigned base) {
  char reversed[24];
  uint32_t count = 0;
  do {
    reversed[count++] = "0123456789abcdef"[number % base];
  } while ((number /= base) != 0);
  while (count) *out++ = reversed[--count];
  *out = 0;
  return out;
}

HEADRACE_AT_START bool map_file(const char* directory, uint64_t limit) {
  created_ns = base::clock_ns(CLOCK_BOOTTIME);
  if (strlen(directory) > kLongestDirectory) return false;
  char* end = stpcpy(stpcpy(spool.path, directory), "/");
  end = digits(end, static_cast<uint64_t>(base::kernel_call(SYS_getpid)), 10);
  stpcpy(digits(stpcpy(end, "."), created_ns, 16), ".spool");
  long fd = open_spool(O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return false;
  uint64_t first = kFirstSlab;
  bool reserved = may_be_as_large(first) && base::kernel_call(SYS_fallocate, fd, 0, 0, first) == 0;
  void* memory = reserved ? base::map_shared(static_cast<int>(fd), limit, far_below()) : nullptr;
  base::kernel_call(SYS_close, fd);
  if (!memory) {
    base::kernel_call(SYS_unlinkat, AT_FDCWD, spool.path, 0);
    return false;
  }
  spool.base = static_cast<char*>(memory);
  spool.header = at<Header>(0);
  spool.header->grown = first;
  return true;
}

}  // namespace

const char* Note::directory() { return notes_directory; }

HEADRACE_AT_START void Note::keep_in(const char* directory) {
  strncpy(notes_directory, directory, sizeof notes_directory - 1);
}

Note::Note(const char* reason, const char* detail, int process) {
  path_[0] = 0;
  if (!notes_directory[0]) return;
  snprintf(path_, sizeof path_, "%s/%d.%llx.%s.note", notes_directory, process,
           static_cast<unsigned long long>(base::clock_ns(CLOCK_BOOTTIME)), reason);
  long fd = base::kernel_call(SYS_openat, AT_FDCWD, path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0) {
    left_ = true;
    if (detail && may_be_as_large(strlen(detail))) base::kernel_call(SYS_write, fd, detail, strlen(detail));
    base::kernel_call(SYS_close, fd);
  }
}

void Note::withdraw() {
  if (path_[0]) base::kernel_call(SYS_unlinkat, AT_FDCWD, path_, 0);
}

void count_unnoted(int number) {
  if (spool.header)
    __atomic_fetch_add(&spool.header->unnoted_programs, static_cast<uint32_t>(number), __ATOMIC_RELAXED);
}

HEADRACE_AT_START bool create_spool(const char* directory, uint64_t limit, uint64_t thread_room) {
  spool = Spool{};
  spool.limit = limit;
  spool.thread_room = thread_room;
  spool.mapped = (limit + 4095) & ~uint64_t{4095};
  spool.backed = directory && *directory && map_file(directory, spool.mapped);
  if (!spool.backed) {
    if (directory && *directory)
      spool.noted = Note("no-space", nullptr, static_cast<int>(base::kernel_call(SYS_getpid))).left();
    void* memory = base::map_anonymous(spool.mapped);
    if (!memory) return false;
    spool.base = static_cast<char*>(memory);
    spool.header = at<Header>(0);
    spool.header->grown = spool.mapped;
  }
  Header* header = spool.header;
  header->version = kSpoolVersion;
  header->header_bytes = sizeof(Header);
  header->limit = limit;
  header->used = sizeof(Header);
  header->functions = static_cast<uint32_t>(Fn::kCount);
  header->ticks[0] = base::ticks();
  header->monotonic_ns[0] = base::clock_ns(CLOCK_MONOTONIC);
  header->realtime_ns = base::clock_ns(CLOCK_REALTIME);
  header->boottime_ns = spool.backed ? created_ns : base::clock_ns(CLOCK_BOOTTIME);
  header->clock = base::counter_clock ? ClockKind::kTimeStampCounter : ClockKind::kMonotonic;
#if defined(__aarch64__)
  if (base::counter_clock) header->clock = ClockKind::kCntvct;
#endif
  header->process_id = static_cast<uint32_t>(base::kernel_call(SYS_getpid));
  header->parent_process_id = static_cast<uint32_t>(base::kernel_call(SYS_getppid));
  header->user_id = static_cast<uint32_t>(base::kernel_call(SYS_getuid));
  reset_released();
  std::atomic_signal_fence(std::memory_order_release);
  header->magic = kSpoolMagic;  // last: a spool without it was killed while being made, and holds nothing
  return true;
}

HEADRACE_AT_START SpoolLock::SpoolLock() {
  uint32_t free = kFree;
  if (lock_word.compare_exchange_strong(free, kHeld, std::memory_order_acquire)) return;
  if (block)
    __atomic_store_n(&block->parked, 1,
                     __ATOMIC_RELEASE);  // a fold need not wait for us: we hold no pointer that it may move
  // Whoever has waited cannot know whether others still do, and wakes one for nothing at worst.
  while (lock_word.exchange(kWaitedFor, std::memory_order_acquire) != kFree) base::wait_while(lock_word, kWaitedFor);
  if (block) __atomic_store_n(&block->parked, 0, __ATOMIC_RELEASE);
}
HEADRACE_AT_START SpoolLock::~SpoolLock() {
  if (lock_word.exchange(kFree, std::memory_order_release) == kWaitedFor) base::wake_one(lock_word);
}
void reset_spool_lock() { lock_word.store(kFree, std::memory_order_release); }

namespace {

/// `units` of 64 bytes.
HEADRACE_AT_START uint32_t allocate_units(uint32_t units, Use use) {
  lacks_descriptor = false;
  if (never_resumes()) return 0;
  if (uint32_t offset = reuse(units, units)) return offset;
  if (use == Use::kThread) make_room_for_threads(uint64_t{units} * 64);
  Header* header = spool.header;
  uint64_t offset = (header->used + 63) & ~uint64_t{63}, end = offset + uint64_t{units} * 64;
  uint64_t kept = kept_back(use);
  // What later threads may take is kept from records; memory of the machine takes the part alone that a fold would need
  // if the spool could grow no more.
  const uint64_t of_all = end / (kThreadShare - 1);
  uint64_t backed = std::min(end + std::min({kept_back(use), kFoldReserve, of_all}), spool.limit);
  if (backed > spool.mapped) map_more(backed);
  backed = std::min(backed, spool.mapped);
  if (end + kept <= spool.limit && backed > header->grown && !grow(backed)) kept = kept_back(use);  // of less
  // Without a descriptor for it the file did not grow, but may the next time: beyond its end nothing may be touched.
  __atomic_store_n(&was_without, lacks_descriptor, __ATOMIC_RELAXED);
  if (end + kept > reachable() || end > header->grown) return reuse(units + 1, units);
  header->used = end;
  return static_cast<uint32_t>(offset);
}

}  // namespace

bool lacked_descriptor() { return __atomic_load_n(&was_without, __ATOMIC_RELAXED); }

void Shortage::meet() {
  constexpr uint64_t kPatienceNs = 10'000'000;
  __atomic_store_n(&until_ns_, lacks_descriptor ? base::clock_ns(CLOCK_MONOTONIC) + kPatienceNs : kForGood,
                   __ATOMIC_RELAXED);
}

bool Shortage::lasts() const {
  const uint64_t until = __atomic_load_n(&until_ns_, __ATOMIC_RELAXED);
  return until != 0 && (until == kForGood || base::clock_ns(CLOCK_MONOTONIC) < until);
}

HEADRACE_AT_START uint32_t allocate(uint32_t bytes, Use use) {
  const uint32_t units = (bytes + 63) / 64, offset = allocate_units(units, use);
  if (offset && use == Use::kThread) spool.threads += uint64_t{units} * 64;
  return offset;
}

bool has_room(uint32_t bytes) {
  const uint64_t end = spool.header->used + bytes;
  if (end > spool.mapped && end <= spool.limit) map_more(end);
  return end <= spool.limit && (end <= spool.header->grown || grow(end));
}

void release(uint32_t offset, uint32_t bytes) {
  uint32_t units = (bytes + 63) / 64;
  if (units == 0 || units >= kSizeClasses) return;
  *at<uint32_t>(offset) = released[units];
  released[units] = offset;
}

void coalesce_released() {
  size_t units = spool.header->used / 64 + 1;
  void* memory = base::map_anonymous(units);
  if (!memory) return;
  auto* is_free = static_cast<char*>(memory);
  for (uint32_t size = 1; size < kSizeClasses; ++size)
    for (uint32_t offset = released[size]; offset; offset = *at<uint32_t>(offset))
      memset(is_free + offset / 64, 1, size);
  reset_released();
  for (size_t i = 0; i < units;) {
    size_t end = i;
    while (end < units && is_free[end] && end - i < kSizeClasses - 1) ++end;
    if (end > i) release(static_cast<uint32_t>(i * 64), static_cast<uint32_t>((end - i) * 64));
    i = end > i ? end : i + 1;
  }
  base::unmap(memory, units);
}

HEADRACE_AT_START void reset_released() { memset(released, 0, sizeof released); }

HEADRACE_AT_START uint32_t allocate_name(const char* text, uint32_t length) {
  uint32_t offset = allocate(static_cast<uint32_t>(sizeof(Name)) + length);
  if (!offset) return 0;
  memcpy(at<char>(offset) + sizeof(Name), text, length);
  at<Name>(offset)->length = length;
  return offset;
}

}  // namespace headrace::capture
