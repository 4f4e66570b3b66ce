// Threads that wait for the recorder's lock, or until the world goes on: they sleep in the kernel, and wake. Also run
// under the sanitizers.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/kernel.h"
#include "base/sanitizers.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/process.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

constexpr int kWaiters = 40;

/// The number of the system call that a thread of this process is in; −1: in none. Nothing: nobody says.
std::optional<long> system_call_of(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
  std::string word;
  if (!(file >> word)) return std::nullopt;
  return word == "running" ? -1 : std::stol(word);
}

/// Threads that are known to the recorder, do one thing once they may, and can be looked at meanwhile.
class Crowd {
 public:
  template <typename What>
  Crowd(int size, What what) : numbers_(static_cast<size_t>(size)) {
    for (auto& number : numbers_)
      threads_.emplace_back([this, &number, what] {
        ensure_thread();
        number = static_cast<pid_t>(syscall(SYS_gettid));
        while (!may_go_) sched_yield();
        what();
      });
    for (auto& number : numbers_)
      while (number == 0) sched_yield();
  }
  ~Crowd() { join(); }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  void go() { may_go_ = true; }
  void join() {
    go();
    for (auto& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  pthread_t first() { return threads_.front().native_handle(); }
  /// Waits until all are in futex(). False: one sleeps by the clock instead.
  bool waits_in_kernel() const {
    for (const auto& number : numbers_)
      for (std::optional<long> call; call != SYS_futex; sched_yield()) {
        call = system_call_of(number);
        if (!call || call == SYS_nanosleep || call == SYS_clock_nanosleep) return false;
      }
    return true;
  }

 private:
  std::atomic<bool> may_go_{false};
  std::vector<std::atomic<pid_t>> numbers_;
  std::vector<std::thread> threads_;
};

class Waiting : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    base_ = std::filesystem::temp_directory_path() / ("headrace-waiting-" + std::to_string(getpid()));
    std::filesystem::create_directories(base_);
    setenv("HEADRACE_SPOOL", base_.c_str(), 1);
    ASSERT_TRUE(ready());
    ensure_thread();
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(base_); }
  void SetUp() override {
    if (!system_call_of(getpid())) GTEST_SKIP() << "this kernel does not say what threads wait in";
  }
  static std::filesystem::path base_;
};
std::filesystem::path Waiting::base_;

TEST_F(Waiting, ForTheLockIsSleepUntilItIsGivenUp) {
  int plain = 0;
  Crowd crowd(kWaiters, [&] {
    SpoolLock mine;
    ++plain;
  });
  std::optional<SpoolLock> held(std::in_place);
  crowd.go();
  EXPECT_TRUE(crowd.waits_in_kernel());
  held.reset();
  crowd.join();
  EXPECT_EQ(plain, kWaiters);
}

TEST_F(Waiting, EndsThoughNobodyWakes) {
  std::atomic<int> came{0};
  Crowd crowd(3, [&] {
    SpoolLock mine;
    ++came;
  });
  std::optional<SpoolLock> held(std::in_place);
  crowd.go();
  EXPECT_TRUE(crowd.waits_in_kernel());
  reset_spool_lock();  // as if its holder had been killed before it woke anybody
  crowd.join();
  EXPECT_EQ(came, 3);
}

/// Stops the world for as long as it lives.
class Stopped {
 public:
  Stopped() {
    entered_ = update_.enter();
    lock_.emplace();
    stopped_ = stop_world();
  }
  ~Stopped() {
    resume_world();
    lock_.reset();
    if (entered_) update_.leave();
  }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;
  bool holds() const { return entered_ && stopped_; }

 private:
  Update update_;
  bool entered_ = false, stopped_ = false;
  std::optional<SpoolLock> lock_;
};

TEST_F(Waiting, ForTheWorldIsSleepUntilItGoesOn) {
  std::atomic<int> counted{0};
  Crowd crowd(kWaiters, [&] {
    Update update;
    if (!update.enter()) return;
    ++counted;
    update.leave();
  });
  std::optional<Stopped> stopped(std::in_place);
  ASSERT_TRUE(stopped->holds());
  crowd.go();
  EXPECT_TRUE(crowd.waits_in_kernel());
  EXPECT_EQ(counted, 0);
  stopped.reset();
  crowd.join();
  EXPECT_EQ(counted, kWaiters);
}

TEST_F(Waiting, OfOneThreadDoesNotLoseTheOthersWhenTheWorldIsStoppedAgain) {
  Crowd crowd(2, [] {
    Update update;
    if (update.enter()) update.leave();
  });
  std::optional<Stopped> stopped(std::in_place);
  crowd.go();
  EXPECT_TRUE(crowd.waits_in_kernel());
  const uint32_t before = state.folding.load();
  EXPECT_TRUE(stop_world());  // a flush tries again when threads did not stop in time
  EXPECT_EQ(state.folding.load(), before) << "who waits is forgotten";
  stopped.reset();
}

#ifndef HEADRACE_SANITIZED_THREADS  // does not follow a fork of several threads

std::atomic<pid_t> child{0};

void fork_where_it_waits(int) {
  ThreadBlock* const mine = interrupts_section() ? block : nullptr;
  const pid_t id = fork();
  if (id != 0) {
    child = id;
  } else {
    alarm(20);  // ends it where it hangs
    if (!mine) _exit(3);
    forked_inside_section(mine);
  }
}

/// Lets a handler fork in a thread that waits until the world goes on. How its child ended, which goes on by itself.
int fork_in_waiting_thread() {
  struct sigaction action = {}, before;
  action.sa_handler = fork_where_it_waits;
  sigaction(SIGUSR1, &action, &before);
  const pid_t parent = getpid();
  Crowd one(1, [parent] {
    Update update;
    const bool entered = update.enter();
    if (getpid() != parent) SpoolLock as_to_find_memory;  // which a thread of the parent holds
    if (entered) update.leave();
    // What the world was stopped for is half done in the child's copy.
    Update another;
    if (getpid() != parent) _exit(entered || another.enter() ? 4 : 0);
  });
  std::optional<Stopped> stopped(std::in_place);
  one.go();
  EXPECT_TRUE(one.waits_in_kernel());
  pthread_kill(one.first(), SIGUSR1);
  while (child == 0) sched_yield();
  int status = -1;
  waitpid(child, &status, 0);
  stopped.reset();
  one.join();
  sigaction(SIGUSR1, &before, nullptr);
  return status;
}

TEST_F(Waiting, IsOverInAChildThatAHandlerForks) {
  const int status = fork_in_waiting_thread();
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Waiting, ChildrenOfSectionsCopyWhatTheyHaveMapped) {
  {
    SpoolLock lock;
    ASSERT_NE(allocate(64 << 10, Use::kThread), 0u);
  }
  const pid_t id = fork();
  if (id == 0) {
    Update update;
    if (!update.enter()) _exit(3);
    // As if threads of the parent had mapped the rest since.
    const uint64_t mapped = (offset_of(block + 1) + 4095) & ~uint64_t{4095};
    base::unmap(spool.base + mapped, spool.mapped - mapped);
    spool.mapped = mapped;
    forked_inside_section(block);
    _exit(0);
  }
  int status = -1;
  waitpid(id, &status, 0);
  EXPECT_EQ(status, 0);
}

#endif

}  // namespace
}  // namespace headrace::capture
