// What the processes of a job share on a node while files are emulated: when each service is free again, who has which
// lock, and how much was asked of them. It lies in a mapped file; all zeros is its beginning. There is no lock: whoever
// comes takes the next free time of a service by one atomic step and sleeps until then, so that a process killed while
// it waits holds nobody up. Any thread, any process, signal handlers.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace headrace::workload::emulation {

inline constexpr uint32_t kQueues = 256, kBlocks = 16'384, kProbes = 8, kMembers = 1'024;

enum class Counted : uint8_t {
  kRead,
  kWrite,
  kSync,
  kCreate,
  kOpen,
  kClose,
  kStat,
  kUnlink,
  kRename,
  kMkdir,
  kRmdir,
  kConflict,
  kForgotten,  // owners that found no place any more: conflicts with them are not seen
  kEnd
};
inline constexpr const char* kCountedNames[] = {"reads",  "writes",    "syncs",    "creates", "opens",
                                                "closes", "stats",     "unlinks",  "renames", "mkdirs",
                                                "rmdirs", "conflicts", "forgotten"};

/// One lock: which block of which file, and who had it last, in one word.
struct Block {
  std::atomic<uint64_t> owner;  // kTagMask: file and block; kShared or a process; kWritten. 0: never used
  std::atomic<uint64_t> free_at;
};

struct State {
  std::atomic<uint64_t> counts[static_cast<size_t>(Counted::kEnd)];
  std::atomic<uint64_t> link_free_at[2];  // reading, writing
  std::atomic<uint64_t> queue_free_at[kQueues];
  std::atomic<uint32_t> members[kMembers];  // processes that have it mapped, those that are gone included; 0: none
  Block blocks[kBlocks];

  void count(Counted what) { counts[static_cast<size_t>(what)].fetch_add(1, std::memory_order_relaxed); }
};

/// Takes `duration` of a service from `arrival` on, or from when it is free; when that is over. ns.
inline uint64_t reserve(std::atomic<uint64_t>& free_at, uint64_t arrival, uint64_t duration) {
  uint64_t free = free_at.load(std::memory_order_relaxed), end;
  do end = (free > arrival ? free : arrival) + duration;
  while (!free_at.compare_exchange_weak(free, end, std::memory_order_relaxed));
  return end;
}

inline constexpr uint64_t kOwnerBits = 24, kWritten = uint64_t{1} << kOwnerBits, kTagMask = ~((kWritten << 1) - 1);
inline constexpr uint64_t kShared = kWritten - 1;  // no process has this number

/// Takes the lock of a block for `process`: the block whose lock some other had in a way that does not go with this,
/// or null. Several may read; one that writes is alone.
Block* take_lock(State& state, uint64_t file, uint64_t block, uint32_t process, bool writes);

}  // namespace headrace::workload::emulation
