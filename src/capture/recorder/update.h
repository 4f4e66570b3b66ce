// The update section: the few instructions after a real call during which counters change.
//
// `busy` holds the address of the section's mark on the stack inside it. It is never held across the real call, so
// nesting, cancellation and siglongjmp out of a call cannot leave it set. A signal handler that does I/O inside a
// section finds it set and is counted in no file (apart.h). A section that siglongjmp left (out of a
// handler that interrupted it) is recognised by its mark on the stack, which is overwritten or lies below the present
// frame, and is taken over.
//
// `busy` lies in the spool, so it is set an instruction after the spool was found. A handler that forks between the two
// would leave its child to go on in its parent's spool. `entering`, which is the thread's own, has the mark meanwhile.
#pragma once
#include "capture/recorder/state.h"

namespace headrace::capture {

extern __thread uint64_t entering __attribute__((tls_model("initial-exec"), visibility("hidden")));

class Update {
 public:
  /// False: the operation must be counted with count_apart().
  HEADRACE_INLINE bool enter() {
    if (HEADRACE_UNLIKELY(!begin()) && !enter_slow()) return false;
    // A fold sets `folding`, then makes every thread pass a barrier (membarrier), then waits for `busy` to fall.
    // Acquire: who comes after a fold sees what it forgot, as in the thread's own cache.
    if (HEADRACE_UNLIKELY(state.folding.load(std::memory_order_acquire) != 0)) return wait_for_fold(put_mark());
    return true;
  }
  /// The same for calls that did not look at the descriptor table, which is where a forked child is noticed.
  HEADRACE_INLINE bool enter_anew();
  HEADRACE_INLINE void leave() {
    ThreadBlock* mine = block;
    if (HEADRACE_UNLIKELY(mine->held != 0)) return leave_shared();
    __atomic_store_n(&mine->busy, 0, __ATOMIC_RELEASE);  // a fold that sees it sees what the section wrote
  }

 private:
  /// False: the thread has no block yet, or may be inside of a section already.
  HEADRACE_INLINE bool begin() {
    const uint64_t mark = put_mark();
    __atomic_store_n(&entering, mark, __ATOMIC_RELAXED);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    ThreadBlock* mine = block;
    const bool begins = HEADRACE_LIKELY(mine != nullptr) && HEADRACE_LIKELY(mine->busy == 0);
    if (begins) __atomic_store_n(&mine->busy, mark, __ATOMIC_RELAXED);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    __atomic_store_n(&entering, 0, __ATOMIC_RELAXED);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return begins;
  }
  HEADRACE_INLINE uint64_t put_mark() {
    mark_ = reinterpret_cast<uint64_t>(this);
    return reinterpret_cast<uint64_t>(this);
  }
  bool enter_slow();
  static void leave_shared();
  /// False: this is a forked child, and no thread of it will ever end the fold.
  static bool wait_for_fold(uint64_t mark);
  volatile uint64_t mark_;  // its own address, while nothing else has taken this place on the stack
};

/// Makes this process ready if it is not: first use, or first use after fork. False when capture is off here.
bool ready_slow();
HEADRACE_INLINE bool ready() {
  return HEADRACE_LIKELY(state.wiped != nullptr && state.wiped->alive != 0) || ready_slow();
}
HEADRACE_INLINE bool Update::enter_anew() { return ready() && enter(); }
/// True in a vfork child, which runs in its parent's memory and must change none of it.
extern __thread uint32_t vfork_depth __attribute__((tls_model("initial-exec"), visibility("hidden")));
HEADRACE_INLINE bool in_vfork_child() { return HEADRACE_UNLIKELY(vfork_depth != 0); }

/// Gives the calling thread its scratch memory before a call that needs it. Nothing in a vfork child, whose parent has
/// it.
void ensure_thread();
/// Whether the caller runs in a signal handler that has a stack of its own. Keeps errno.
bool is_on_alternate_stack();
/// For the vfork wrapper: from `before` (in the parent) until `after` this thread's calls count for the child.
extern "C" void headrace_before_vfork();
extern "C" void headrace_after_vfork();

/// Whether the C library may allocate memory when a thread does something for the first time.
bool starting_allocates();
/// Before the first thread starts: how the end of a thread is noticed.
void prepare_threads();
/// The calling thread begins: from the first round of its keys' destructors on, its end is noticed.
void watch_end();
/// Releases the calling thread's block at its end, for a later thread to go on with.
void end_thread(void* thread);
/// Whether the caller is a signal handler that interrupted a section of its own thread.
bool interrupts_section();
/// Forgets every thread but the caller (in a forked child).
void forget_threads();

/// Saves the old value of a word that the section is about to change, so that a kill in the middle can be undone.
class Journal {
 public:
  explicit Journal(ThreadBlock* block) : block_(block) {}
  ~Journal() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    block_->journal_used = 0;
  }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  template <typename T>
  HEADRACE_INLINE void set(T& word, T value) {
    static_assert(sizeof(T) == 8);
    JournalEntry& entry = block_->journal[block_->journal_used];
    __builtin_memcpy(&entry.old_value, &word, 8);
    entry.offset = offset_in_spool(&word);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    block_->journal_used++;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    word = value;
  }

 private:
  static uint32_t offset_in_spool(const void* address);
  ThreadBlock* block_;
};

}  // namespace headrace::capture
