// What the recorder keeps in one process. All of it is private memory but the spool; a forked child begins its own.
//
// Fork safety: `wiped` lies in a MADV_WIPEONFORK page, so a child notices at its first look-up that it is one, however
// it was made. Thread safety: tables are read without a lock and changed under `SpoolLock`.
#pragma once
#include <atomic>
#include <cstdint>

#include "capture/recorder/beyond_regions.h"
#include "capture/recorder/known_stacks.h"
#include "capture/spool_layout.h"
#include "intercept/functions.h"

#define HEADRACE_LIKELY(x) __builtin_expect(!!(x), 1)
#define HEADRACE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HEADRACE_INLINE inline __attribute__((always_inline))
#define HEADRACE_COLD __attribute__((noinline, cold))
/// Arrays of zeros that few processes touch: apart from what all do, which then lies on few pages (start_pages.h).
#if defined(__x86_64__)
#define HEADRACE_LARGE __attribute__((section(".lbss.headrace")))  // linkers put it behind all that is small
#else
#define HEADRACE_LARGE __attribute__((section(".bss.headrace")))
#endif

namespace headrace::capture {

using intercept::Fn;

struct EventBlock;

/// What a thread is inside of, of regions of the program (regions.h).
struct OpenRegion {
  uint64_t start;
  uint32_t number;
  enum : uint8_t { kLeftOut, kWaits, kRecorded } state;  // kWaits: until it holds something, or is long enough
};
inline constexpr uint32_t kOpenRegions = 4096, kDeepRegions = 256 << 10;
struct OpenRegions {
  uint32_t depth;
  uint32_t waiting;  // how many wait
  uint32_t* deep;    // numbers of those beyond kOpenRegions, which are not recorded; null: no memory, or not needed yet
  BeyondRegions beyond;  // both
  OpenRegion of[kOpenRegions];
};

/// One open file description. 64 bytes; slot 0 is "none". The fields of streams: stream.h.
struct alignas(64) OpenFile {
  uint64_t position;                 // of the next sequential operation, where it is known
  uint64_t hash;                     // of the record's name: tells a forked child whether it copied the right one
  uint32_t generation, record;       // record: offset in the spool
  uint32_t next_free, flags;         // flags: FLAG bits that new shards of it get
  std::atomic<uint32_t> references;  // descriptors of this process
  uint8_t append, unknown_position, unknown_stream_position;
  uint32_t stream_seen;        // bytes of the stream's buffer that are accounted for
  uint16_t byte_functions[2];  // Fn of the calls of single bytes that wait to be counted, by direction; 0: only inlined
                               // ones do
  uint64_t stream_position;    // of the stream's next operation, where it is known
  uint64_t stream_owner;  // whose view of the buffer counts: stream, direction and thread; 0: nobody's yet, ~0: no more
};

static_assert(sizeof(OpenFile) == 64);

/// A thread's memory of what a descriptor led to; valid while the descriptor's tag is the same. One cache line.
struct alignas(64) CachedFile {
  uint64_t tag;
  Direction* directions[2];
  OpenFile* file;
  Shard* shard;
  uint8_t last;                // direction of the latest operation; 2: none yet
  uint32_t large[2], slow[2];  // from where on an operation's call site is kept: bytes, and ticks / 256
  uint32_t handle;             // in events, where they are recorded
};
static_assert(sizeof(CachedFile) == 64);
inline constexpr uint32_t kCachedFiles = 64;
inline constexpr uint32_t kPathMax = 4096;
inline constexpr uint32_t kMaximumEnvironment = 4096;

inline constexpr uint32_t kThreadName = 16;  // bytes, of the system, with a NUL

/// Private memory of one thread; reused by later threads.
struct Thread {
  ThreadBlock* block;
  EventBlock* events;      // where the next one goes; null: nowhere yet
  uint32_t number;         // in traces: 1 of the first thread, 2, … of the others that this process had
  bool told;               // the trace has its begin
  uint32_t system_number;  // of the thread; 0: there is none
  char name[kThreadName];  // that the trace has; empty: none
  uint64_t began;          // ticks; 0: not known
  uint64_t signals;        // that were blocked before ThreadBlock::held was taken
  Thread* next;            // of every thread ever seen
  std::atomic<uint32_t> taken;
  uint32_t free_files;   // OpenFile slots this thread may reuse
  uint32_t free_count;   // how many
  uint32_t lost_phases;  // begun, and not opened
  uint32_t closed_file;  // Record, with a reference: the thread counts in it though its file was closed; 0: none
  void* statuses;        // room for MPI's, as many as a call ever needed
  uint64_t statuses_bytes;
  CachedFile cache[kSystemLayers][kCachedFiles];
  KnownStacks stacks;
  char path[3][kPathMax];  // scratch for path names: rename needs two, a directory's own name the third
  OpenRegions regions;
  const char* environment[kMaximumEnvironment];  // scratch for exec: usable in a vfork child, freed by nobody
};

using DescriptorLeaf = std::atomic<uint64_t>[1024];
inline constexpr uint32_t kLeaves = 1024;
inline constexpr uint32_t kDescriptors = kLeaves * 1024;

/// Of threads at once between their creation and their first instruction (thread_starts.h); of more it is not noted.
/// On a busy machine hundreds wait for that.
inline constexpr uint32_t kThreadStarts = 4096;

/// The pages a forked child finds empty.
struct WipedOnFork {
  uint64_t beginning;                // 1: a thread of a forked child makes it ready, or has
  uint64_t alive;                    // 1: it is ready
  uint64_t forked_ticks, forked_ns;  // when a child was forked; 0: by a call that nobody saw
  DescriptorLeaf* leaves[kLeaves];
  std::atomic<uint32_t> starts[2][kThreadStarts];  // 1: taken; threads of POSIX, of C11
};

struct State {
  WipedOnFork* wiped;
  std::atomic<bool> paused;  // nothing is recorded now: no phase is open, or HEADRACE=off
  bool enabled;              // false: HEADRACE=off, or nothing could be set up
  bool file_sizes;
  bool alone;           // a forked child ends the section that it was forked in: no other thread records
  bool tracing;         // events are recorded
  bool choosy;          // … but perhaps not all of them: trace_choice.h
  uint32_t closed;      // reasons why none are now: trace_choice.h
  uint32_t event_file;  // which one this process has: 1, 2, … with each fork
  OpenFile* files;
  uint32_t file_slots;  // room for so many
  uint32_t* table;      // hash slots: offsets of records
  uint32_t table_mask;
  std::atomic<uint32_t> next_file;
  std::atomic<uint64_t>
      spare_files;  // slots that any thread may reuse: a stack, with a count of its changes in the high half
  std::atomic<Thread*> threads;
  std::atomic<uint32_t> folding;  // 0: the world goes on; else it is stopped (fold.h)
  std::atomic<uint64_t> stretch;  // between two boundaries of phases; 0: no phase is open
  uint64_t stretch_start;         // when the phase that was begun last began (ticks), and the width of its bins
  uint32_t stretch_shift;
  DescriptorLeaf* leaves[kLeaves];  // what a forked child restores `wiped` from
};
inline constinit State state{};

/// Whether a call need not be looked at. A forked child is, until it knows that it is one.
HEADRACE_INLINE bool passes_by() {
  return HEADRACE_UNLIKELY(state.paused.load(std::memory_order_relaxed)) && (!state.wiped || state.wiped->alive);
}

// `block` is null in threads not yet started and in vfork children, which share their parent's memory.
extern __thread Thread* self __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern __thread ThreadBlock* block __attribute__((tls_model("initial-exec"), visibility("hidden")));

}  // namespace headrace::capture
