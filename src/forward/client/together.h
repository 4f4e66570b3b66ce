// Processes that do the same at the same time, for programs that measure.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

namespace headrace::forward {

/// A barrier for `count` processes that are forked later and for the one that forks them; null without memory.
inline pthread_barrier_t* make_barrier(unsigned count) {
  void* memory = mmap(nullptr, sizeof(pthread_barrier_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* barrier = new (memory) pthread_barrier_t;
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(barrier, &shared, count + 1);
  return barrier;
}

/// Runs `work(number)`, which gives an exit status, in `count` processes of its own.
template <typename Work>
void fork_all(unsigned count, Work work) {
  const pid_t parent = getpid();
  for (unsigned i = 0; i < count; ++i) {
    if (fork() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // who is killed leaves nobody waiting for the others
    if (getppid() != parent) _exit(1);
    const int status = work(i);
    fflush(stdout);
    _exit(status);
  }
}

/// Waits for all of them; gives how many failed.
inline int wait_all() {
  int failed = 0, status = 0;
  while (wait(&status) > 0) failed += status != 0;
  return failed;
}

}  // namespace headrace::forward
