#include "workload/emulation/together.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace headrace::workload::emulation {
namespace {

using base::Code;
using base::Result;
using base::Status;

struct Times {
  uint64_t begin, end;
  int64_t count;
  int error;
};

/// A process of its own: it waits until nobody can write into the pipe any more, which begins for all at once.
[[noreturn]] void work_when_told(int pipe, Times* times, int who, const std::function<int64_t(int)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char nothing;
  while (read(pipe, &nothing, 1) < 0 && errno == EINTR) {
  }
  times->begin = base::clock_ns(CLOCK_MONOTONIC);
  times->count = work(who);
  times->error = times->count < 0 ? std::max(errno, 1) : 0;
  times->end = base::clock_ns(CLOCK_MONOTONIC);
  _exit(0);
}

}  // namespace

double Together::count() const {
  double sum = 0;
  for (const int64_t each : counts) sum += static_cast<double>(each);
  return sum;
}

Result<Together> together(int count, const std::function<int64_t(int)>& work) {
  const size_t bytes = sizeof(Times) * static_cast<size_t>(count);
  void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int start[2];
  if (shared == MAP_FAILED || pipe(start) != 0) return Status(Code::kIo, strerror(errno));
  auto* times = static_cast<Times*>(shared);
  std::vector<pid_t> processes;
  int error = 0;
  for (int who = 0; who < count && error == 0; ++who) {
    const pid_t process = fork();
    if (process == 0) {
      close(start[1]);
      work_when_told(start[0], &times[who], who, work);
    }
    if (process > 0)
      processes.push_back(process);
    else
      error = errno;
  }
  close(start[0]);
  close(start[1]);
  uint64_t begin = UINT64_MAX, end = 0;
  Together found{};
  for (size_t i = 0; i < processes.size(); ++i) {
    int status = 0;
    while (waitpid(processes[i], &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) error = EINTR;
    if (times[i].error != 0) error = times[i].error;
    found.counts.push_back(times[i].count);
    begin = std::min(begin, times[i].begin);
    end = std::max(end, times[i].end);
  }
  munmap(shared, bytes);
  if (error != 0) return Status(Code::kIo, strerror(error));
  found.seconds = std::max(static_cast<double>(end - begin) * 1e-9, 1e-9);
  return found;
}

}  // namespace headrace::workload::emulation
