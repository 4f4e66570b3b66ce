#include "capture/recorder/update.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/events.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/phases.h"
#include "capture/recorder/records.h"
#include "capture/recorder/regions.h"
#include "capture/recorder/shared_shards.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/thread_starts.h"

namespace headrace::capture {

__thread Thread* self;
__thread ThreadBlock* block;
__thread uint64_t entering;
__thread uint32_t vfork_depth;

namespace {

__thread uint64_t waiting;          // the mark of the section that goes on when the world does
__thread ThreadBlock* vfork_block;  // this thread's block while a vfork child runs on its stack

__thread bool starting;
__thread uint32_t end_rounds;  // of this thread's keys' destructors, so far
pthread_key_t thread_key;
bool key_made;
std::atomic<uint32_t> other_threads;   // that there were so far
std::atomic<bool> first_thread_began;  // and has its number

/// Also the only one of a forked child: what that knows of its begin is of a thread of the parent.
bool is_first_thread(long number) { return number == base::kernel_call(SYS_getpid); }

/// 1 is the first thread's, whenever it is seen. If it goes on after its end, it is another one.
uint32_t next_number(bool is_first) {
  if (is_first && !first_thread_began.exchange(true, std::memory_order_relaxed)) return 1;
  return other_threads.fetch_add(1, std::memory_order_relaxed) + 2;
}

/// One that nobody has any more. `complete`: it has a block, which others may not get.
Thread* left_thread(bool complete) {
  for (Thread* thread = state.threads.load(std::memory_order_acquire); thread; thread = thread->next) {
    uint32_t free = 0;
    const bool has_block = __atomic_load_n(&thread->block, __ATOMIC_ACQUIRE) != nullptr;
    if (has_block == complete && thread->taken.load(std::memory_order_relaxed) == 0 &&
        thread->taken.compare_exchange_strong(free, 1))
      return thread;
  }
  return nullptr;
}

Thread* take_thread() {
  for (const bool complete : {true, false})
    if (Thread* left = left_thread(complete)) return left;
  void* memory = base::map_anonymous(sizeof(Thread));
  if (!memory) return nullptr;
  base::populate(memory, offsetof(Thread, path) + 1);
  auto* thread = static_cast<Thread*>(memory);
  thread->taken.store(1);
  thread->next = state.threads.load(std::memory_order_relaxed);
  while (!state.threads.compare_exchange_weak(thread->next, thread)) {
  }
  return thread;
}

ThreadBlock* no_block() {
  __atomic_fetch_add(&spool.header->block_shortage, 1, __ATOMIC_RELAXED);
  return nullptr;
}

ThreadBlock* add_block() {
  constexpr uint32_t kMostThreads = 0xfffe;               // numbers have 16 bits in shards and in views of streams
  if (spool.threads_shortage.lasts()) return no_block();  // who has none comes here with every call
  SpoolLock lock;
  const bool may_be = spool.header->threads < kMostThreads;
  const uint32_t offset = may_be ? allocate(sizeof(ThreadBlock), Use::kThread) : 0;
  if (!offset) {  // a fold would free small pieces only
    spool.threads_shortage.meet();
    return no_block();
  }
  if (spool.header->threads == 0) {
    base::populate(spool.base, offset + sizeof(ThreadBlock));
    __atomic_fetch_or(state.table, 0, __ATOMIC_RELAXED);  // what is read before it is written takes two faults
  }
  auto* added = at<ThreadBlock>(offset);
  added->id = ++spool.header->threads;
  added->series_shift = base::counter_clock ? 24 : 22;  // 7 or 4 ms to begin with
  added->bin_start = spool.header->ticks[0];
  added->bin_width = uint64_t{1} << added->series_shift;
  added->taken = 1;
  added->next = spool.header->first_thread;
  std::atomic_signal_fence(std::memory_order_release);
  spool.header->first_thread = offset;
  return added;
}

bool start_thread() {
  SignalsBlocked quiet;
  if (starting || !ready()) return false;
  starting = true;
  int saved = errno;
  Thread* thread = take_thread();
  if (thread && !thread->block) {
    __atomic_store_n(&thread->block, add_block(), __ATOMIC_RELEASE);  // others look for places that have one
    if (!thread->block) {
      thread->taken.store(0);
      thread = nullptr;  // another one's from here on
    }
  }
  if (thread) {
    __atomic_store_n(&thread->block->taken, 1, __ATOMIC_RELEASE);  // a fold of another thread looks at it
    __atomic_fetch_add(&spool.header->started_threads, 1, __ATOMIC_RELAXED);
    const long system_number = base::kernel_call(SYS_gettid);
    const bool is_first = is_first_thread(system_number);
    *thread->name = '\0';
    __atomic_store_n(&thread->system_number, static_cast<uint32_t>(system_number), __ATOMIC_RELAXED);
    thread->number = next_number(is_first);
    if (is_first) thread_began = 0;
    thread->began = thread_began;
    thread->block->in_calls = 0;
    thread->block->number = thread->number;
    self = thread;
    std::atomic_signal_fence(std::memory_order_release);
    block = thread->block;
    if (key_made) pthread_setspecific(thread_key, thread);
  }
  errno = saved;
  starting = false;
  return block != nullptr;
}

/// Puts back what an abandoned section was closing.
void undo(ThreadBlock* abandoned) {
  for (uint32_t i = abandoned->journal_used; i-- > 0;)
    memcpy(at<char>(abandoned->journal[i].offset), &abandoned->journal[i].old_value, 8);
  abandoned->journal_used = 0;
}

/// A section never goes on: what it was to count or record may be missing.
void abandon(ThreadBlock* left) {
  undo(left);
  release_shared(left);
  left->accounts[static_cast<uint32_t>(Account::kJumped)]++;
}

/// The word at an address that may be mapped no more (a coroutine's stack); 0 then.
uint64_t word_at(uint64_t address) {
  constexpr int kNothing = -1;  // the kernel reads the set before it refuses this
  if (base::kernel_call(SYS_rt_sigprocmask, kNothing, address, nullptr, sizeof(uint64_t)) == -EFAULT) return 0;
  return *reinterpret_cast<volatile uint64_t*>(address);
}

/// Whether the section of this mark is over, seen from the place of a new one.
bool left_by_longjmp(uint64_t mark, uint64_t here) {
  if (here == mark || word_at(mark) != mark) return true;  // something else is there now
  return !is_on_alternate_stack() && here > mark;          // stacks grow down: the section's frame is gone
}

}  // namespace

bool is_on_alternate_stack() {
  stack_t stack;
  return base::kernel_call(SYS_sigaltstack, nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0;
}

bool starting_allocates() {
  constexpr pthread_key_t kKeysOfEveryThread = 32;  // of glibc
  return key_made && thread_key >= kKeysOfEveryThread;
}

HEADRACE_AT_START void prepare_threads() { key_made = pthread_key_create(&thread_key, end_thread) == 0; }

void ensure_thread() {
  if (self || in_vfork_child() || !ready()) return;
  Update update;
  if (update.enter()) update.leave();
}

extern "C" void headrace_before_vfork() {
  ensure_thread();
  if (vfork_depth++ != 0) return;
  vfork_block = block;
  block = nullptr;
}

extern "C" void headrace_after_vfork() {
  if (--vfork_depth != 0) return;
  block = vfork_block;
  vfork_block = nullptr;
}

bool Update::enter_slow() {
  if (in_vfork_child()) return false;
  if (!block) {
    if (!start_thread()) return false;
  } else if (const uint64_t mark = block->busy; mark != 0) {
    if (!left_by_longjmp(mark, reinterpret_cast<uint64_t>(this))) return false;
    abandon(block);
    __atomic_store_n(&block->busy, 0, __ATOMIC_RELAXED);
  }
  return begin();
}

HEADRACE_COLD void Update::leave_shared() {
  const uint64_t signals = self->signals;
  release_shared(block);
  __atomic_store_n(&block->busy, 0, __ATOMIC_RELEASE);
  SignalsBlocked::end(signals);
}

bool Update::wait_for_fold(uint64_t mark) {
  // Of what a handler interrupted that waits as well; one that was left by siglongjmp waits no more.
  const uint64_t outer = waiting != 0 && !left_by_longjmp(waiting, mark) ? waiting : 0;
  waiting = mark;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  bool goes_on = true;
  while (state.folding.load(std::memory_order_acquire) != 0) {
    __atomic_store_n(&block->busy, 0, __ATOMIC_RELEASE);
    if (!(goes_on = !never_resumes())) break;
    wait_while_stopped();
    __atomic_exchange_n(&block->busy, mark,
                        __ATOMIC_SEQ_CST);  // before the next look at `folding`, for every processor
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  waiting = outer;
  return goes_on;
}

bool interrupts_section() {
  if (!block || in_vfork_child()) return false;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  const auto goes_on = [here](uint64_t mark) { return mark != 0 && !left_by_longjmp(mark, here); };
  return goes_on(block->busy) || goes_on(entering) || goes_on(waiting);
}

void watch_end() {
  if (key_made) pthread_setspecific(thread_key, &thread_key);
}

void end_thread(void* thread) {
  auto* ended = static_cast<Thread*>(thread);
  if (self != ended && thread != &thread_key) return;  // a forked child's key values name its parent's threads
  // Destructors of other keys may have more to do that counts: they come first. Which round it is is known only of a
  // thread that was watched from its begin on; another one may have begun to count in a late one.
  const uint32_t last = thread_began != 0 ? PTHREAD_DESTRUCTOR_ITERATIONS : 2;
  if (++end_rounds < last && pthread_setspecific(thread_key, thread) == 0) return;
  thread_began = 0;  // what a destructor still does comes behind the end
  if (self != ended) return;
  end_phases_of_thread();
  leave_all_regions();
  end_thread_events();
  ended->lost_phases = 0;
  drop_record(std::exchange(ended->closed_file, 0));
  ended->told = false;
  __atomic_store_n(&ended->system_number, 0, __ATOMIC_RELAXED);
  block = nullptr;
  self = nullptr;
  __atomic_store_n(&ended->block->in_calls, 0, __ATOMIC_RELAXED);  // cancelled, it never came back from them
  if (ended->block->busy != 0) abandon(ended->block);              // the thread was cancelled inside a section
  __atomic_store_n(&ended->block->busy, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&ended->block->taken, 0, __ATOMIC_RELEASE);
  ended->taken.store(0, std::memory_order_release);
}

void forget_threads() {
  for (Thread* thread = state.threads.load(); thread; thread = thread->next) {
    thread->block = nullptr;
    thread->events = nullptr;
    thread->told = false;
    thread->system_number = 0;
    thread->regions.depth = thread->regions.waiting = 0;
    thread->free_files = thread->free_count = thread->lost_phases = thread->closed_file = 0;
    memset(thread->cache, 0, sizeof thread->cache);
    thread->taken.store(0);
  }
  block = nullptr;
  self = nullptr;
  starting = false;
  other_threads.store(0);
  first_thread_began.store(false);
}

uint32_t Journal::offset_in_spool(const void* address) { return offset_of(address); }

}  // namespace headrace::capture
