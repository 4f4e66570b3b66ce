// The spool's memory: created once a process image, grown in slabs, never written through a descriptor that stays open.
#pragma once
#include <cstddef>
#include <cstdint>

#include "capture/recorder/signals_blocked.h"
#include "capture/recorder/state.h"

namespace headrace::capture {

inline constexpr uint64_t kSlab = 64 << 10;
inline constexpr uint64_t kDefaultLimit = 4 << 20;
inline constexpr uint64_t kSmallestLimit = 128 << 10;
inline constexpr uint64_t kLargestLimit = (uint64_t{4} << 30) - kSlab;  // offsets have 32 bits

/// What keeps those that found no memory from looking for it with each call, under a lock. It is for good where the
/// limit is reached; where the process had no descriptor left, or was interrupted, it is for some milliseconds.
class Shortage {
 public:
  constexpr Shortage() = default;
  /// Just now allocate() found nothing. Lock held.
  void meet();
  /// Any time.
  bool lasts() const;

 private:
  static constexpr uint64_t kForGood = ~uint64_t{0};
  uint64_t until_ns_ = 0;
};

/// The mapped spool of this process image. `base` is null before it exists.
struct Spool {
  char* base;
  Header* header;
  uint64_t limit;        // what it may grow to now
  uint64_t mapped;       // addresses
  uint64_t threads;      // bytes that threads' figures took
  uint64_t shared;       // bytes of those that all threads count in
  uint64_t thread_room;  // by how much they may raise the limit, if they need more than their share
  bool backed;           // false: anonymous memory, lost at the end
  bool noted;            // not backed, and a note says so
  Shortage sizes_shortage, threads_shortage;
  bool crowded;       // threads have had to share: a file gets no more shards than kCrowd of their own
  bool reserve_open;  // what is handed out now may take the last of the memory
  char path[256];
};
inline constinit Spool spool{};

template <typename T>
HEADRACE_INLINE T* at(uint32_t offset) {
  return reinterpret_cast<T*>(spool.base + offset);
}
HEADRACE_INLINE uint32_t offset_of(const void* address) {
  return static_cast<uint32_t>(static_cast<const char*>(address) - spool.base);
}

/// Creates and maps a spool in `directory`; with null or where that fails, anonymous memory of the same size, and a
/// note that says why. Returns false only when there is no memory at all. `thread_room`: how much more than the limit
/// threads may take for what they count, where there are many; mapped as they do.
bool create_spool(const char* directory, uint64_t limit, uint64_t thread_room = 0);

/// A file in the job's directory whose name tells the harvester that `process` is not captured and why; `detail`
/// becomes its content. Withdrawn when what it announced did not happen. Async-signal-safe.
class Note {
 public:
  /// Where notes are left; nowhere until this is called.
  static void keep_in(const char* directory);
  /// Where that is; "": nowhere.
  static const char* directory();
  Note(const char* reason, const char* detail, int process);
  void withdraw();
  /// Whether it could be left.
  bool left() const { return left_; }

 private:
  char path_[320];
  bool left_ = false;
};

/// `number` more programs are started without capture, where no note can tell of them. Async-signal-safe.
void count_unnoted(int number);

/// Serialises changes of the shared tables. Signals wait while it is held: a handler could leave the section by
/// siglongjmp, and the lock would stay taken for ever.
class SpoolLock {
 public:
  SpoolLock();
  ~SpoolLock();
  SpoolLock(const SpoolLock&) = delete;
  SpoolLock& operator=(const SpoolLock&) = delete;

 private:
  SignalsBlocked quiet_;  // first in, last out
};
/// In a forked child: the lock's owner may not exist here.
void reset_spool_lock();

/// What memory is for: what there is of each file, or of each thread.
enum class Use { kRecord, kThread };
/// While it lives, memory may be taken that is kept for folds and roll-ups. Lock held.
class OpenReserve {
 public:
  OpenReserve() : before_(spool.reserve_open) { spool.reserve_open = true; }
  ~OpenReserve() { spool.reserve_open = before_; }
  OpenReserve(const OpenReserve&) = delete;
  OpenReserve& operator=(const OpenReserve&) = delete;

 private:
  bool before_;
};

/// `bytes` of zeroed memory at a multiple of 64 bytes, or 0 when the limit is reached. Lock held.
uint32_t allocate(uint32_t bytes, Use use = Use::kRecord);
/// Gives a block back for reuse by `allocate` of the same size. Lock held.
void release(uint32_t offset, uint32_t bytes);
/// Joins released neighbours, so that blocks of other sizes can be cut from them. Lock held.
void coalesce_released();
/// Whether fresh memory of this size is left, the reserve included. Lock held.
bool has_room(uint32_t bytes);
/// Forgets what was released (a new spool).
void reset_released();
/// Whether memory was lacking the last time because the process had no descriptor left to get it with. Any time.
bool lacked_descriptor();

/// Copies text into the spool as a Name; 0 when there is no room. Lock held.
uint32_t allocate_name(const char* text, uint32_t length);

}  // namespace headrace::capture
