#include "capture/recorder/flusher.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "capture/flush_layout.h"
#include "capture/recorder/state.h"

namespace headrace::capture {
namespace {

constexpr uint64_t kLastBreathNs = 2'000'000'000;
constexpr size_t kStack = 16 << 10;
alignas(16) HEADRACE_LARGE char stacks[2][kStack];

/// What is to be done, and how it went: all of them share the memory that it lies in.
struct Command {
  const char* words[4];
  const uint64_t* done;
  uint64_t wanted, patience_ns;
  FlusherEnd end;
};

/// Runs `child(argument)` in a new process on a stack of its own, which shares this one's memory and descriptors. With
/// CLONE_VFORK as `more` it waits until that has ended. Its id, or the negated error number.
long start_sharing(char* stack, void (*child)(Command*), Command* argument, long more) {
  constexpr long kNoSignalAtItsEnd = 0;
  const long flags = CLONE_VM | CLONE_FILES | more | kNoSignalAtItsEnd;
  char* top = stack + kStack;
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = 0;
  register long r8 asm("r8") = 0;
  register void* r12 asm("r12") = reinterpret_cast<void*>(child);
  register void* r13 asm("r13") = argument;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r13, %%rdi\n\t"
      "call *%%r12\n\t"
      "hlt\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(top), "d"(0), "r"(r10), "r"(r8), "r"(r12), "r"(r13)
      : "rcx", "r11", "memory");
  return result;
#else
  register long x8 asm("x8") = SYS_clone;
  register long x0 asm("x0") = flags;
  register void* x1 asm("x1") = top;
  register long x2 asm("x2") = 0;
  register long x3 asm("x3") = 0;
  register long x4 asm("x4") = 0;
  register void* x9 asm("x9") = reinterpret_cast<void*>(child);
  register void* x10 asm("x10") = argument;
  asm volatile(
      "svc 0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, xzr\n\t"
      "mov x0, x10\n\t"
      "blr x9\n\t"
      "brk 0\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x9), "r"(x10)
      : "memory");
  return x0;
#endif
}

/// The table of descriptors is the program's own until it is unshared: without that nothing may be closed. To unshare
/// with nothing to keep copies nothing, so no file hears of a descriptor that is closed.
void become_flusher(Command* command) {
  constexpr unsigned kUnshare = 2;  // CLOSE_RANGE_UNSHARE
  base::kernel_call(SYS_close_range, 0u, ~0u, kUnshare);
  const char* const nothing[] = {nullptr};
  base::kernel_call(SYS_execve, command->words[0], command->words, nothing);
  for (;;) base::kernel_call(SYS_exit, 127);
}

void nap(long nanoseconds) {
  const timespec time{0, nanoseconds};
  base::kernel_call(SYS_nanosleep, &time, nullptr);
}

FlusherEnd watch(long id, const Command& command) {
  const uint64_t deadline = base::clock_ns(CLOCK_MONOTONIC) + command.patience_ns;
  int status = 0;
  bool killed = false;
  for (uint32_t attempt = 0;; ++attempt) {
    const long ended = base::kernel_call(SYS_wait4, id, &status, __WALL | WNOHANG, nullptr);
    if (ended == id || (ended < 0 && ended != -EINTR)) break;  // an ignored SIGCHLD leaves nothing to wait for
    const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
    if (now > deadline && !killed) killed = base::kernel_call(SYS_kill, id, SIGKILL) == 0;
    if (now > deadline + kLastBreathNs) break;  // the system does not let it go: it will do nothing more
    nap(attempt < 100 ? 50'000 : 500'000);
  }
  if (__atomic_load_n(command.done, __ATOMIC_ACQUIRE) == command.wanted) return FlusherEnd::kDone;
  if (killed) return FlusherEnd::kTooLate;
  return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? FlusherEnd::kNotStarted : FlusherEnd::kFailed;
}

/// Whatever becomes another program signals its end to who started it: that is this process in between, which stays
/// what it is, and of whose end nobody hears. Nobody waits for `execve` itself, which may hang with the file system
/// that the command is on: the deadline holds for it, too.
void stand_between(Command* command) {
  const long id = start_sharing(stacks[1], become_flusher, command, 0);
  command->end = id < 0 ? FlusherEnd::kNotStarted : watch(id, *command);
  for (;;) base::kernel_call(SYS_exit, 0);
}

}  // namespace

FlusherEnd run_flusher(const char* program, const char* events, const uint64_t* done, uint64_t wanted,
                       uint64_t patience_ns) {
  Command command{{program, kFlushCommand, events, nullptr}, done, wanted, patience_ns, FlusherEnd::kFailed};
  const long id = start_sharing(stacks[0], stand_between, &command, CLONE_VFORK);
  if (id < 0) return FlusherEnd::kNotStarted;
  int status = 0;
  while (base::kernel_call(SYS_wait4, id, &status, __WALL, nullptr) == -EINTR) {
  }
  return command.end;
}

}  // namespace headrace::capture
