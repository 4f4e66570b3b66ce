#include "workload/emulation/state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "workload/emulation/state_file.h"

namespace headrace::workload::emulation {
namespace {

constexpr FileCalls kCalls = {open, posix_fallocate, close, mmap, unlink};

uint64_t count(const State& state, Counted what) { return state.counts[static_cast<size_t>(what)]; }

TEST(Service, DoesOneAfterTheOther) {
  std::atomic<uint64_t> free_at{0};
  EXPECT_EQ(reserve(free_at, 100, 10), 110u);
  EXPECT_EQ(reserve(free_at, 101, 10), 120u);
  EXPECT_EQ(reserve(free_at, 500, 10), 510u);
}

TEST(Service, LosesNothingBetweenThreads) {
  std::atomic<uint64_t> free_at{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 5'000; ++k) reserve(free_at, 1, 3);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(free_at, 1u + 4 * 5'000 * 3);
}

TEST(Locks, ConflictWithOthersThatWrite) {
  const auto state = std::make_unique<State>();
  constexpr bool kWrites = true, kReads = false;
  EXPECT_EQ(take_lock(*state, 1, 0, 11, kWrites), nullptr);  // nobody had it
  EXPECT_EQ(take_lock(*state, 1, 0, 11, kWrites), nullptr);  // it is mine
  EXPECT_EQ(take_lock(*state, 1, 0, 11, kReads), nullptr);
  EXPECT_NE(take_lock(*state, 1, 0, 12, kWrites), nullptr);  // it was another's
  EXPECT_EQ(take_lock(*state, 1, 1, 11, kWrites), nullptr);  // another block
  EXPECT_EQ(take_lock(*state, 2, 0, 11, kWrites), nullptr);  // another file
  EXPECT_NE(take_lock(*state, 1, 0, 11, kReads), nullptr);   // another wrote it
  EXPECT_EQ(take_lock(*state, 1, 0, 12, kReads), nullptr);   // all may read
  EXPECT_EQ(take_lock(*state, 1, 0, 13, kReads), nullptr);
  EXPECT_NE(take_lock(*state, 1, 0, 13, kWrites), nullptr);  // and one that writes is alone
  EXPECT_EQ(count(*state, Counted::kForgotten), 0u);
}

TEST(Locks, WhatFindsNoPlaceIsCounted) {
  const auto state = std::make_unique<State>();
  for (uint64_t block = 0; block < 4 * kBlocks; ++block) EXPECT_EQ(take_lock(*state, 1, block, 11, true), nullptr);
  EXPECT_GE(count(*state, Counted::kForgotten), 3 * kBlocks);
}

TEST(StateFile, GoesWithTheLastMember) {
  const std::string path = testing::TempDir() + "headrace-state-" + std::to_string(getpid());
  State* mine = join_state(path.c_str(), kCalls);
  ASSERT_NE(mine, nullptr);
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  int said[2];
  ASSERT_EQ(pipe(said), 0);
  const pid_t child = fork();
  if (child == 0) {
    State* same = join_state(path.c_str(), kCalls);
    same->count(Counted::kOpen);
    char ready = 'r';
    if (write(said[1], &ready, 1) != 1) _exit(1);
    pause();
  }
  char ready;
  ASSERT_EQ(read(said[0], &ready, 1), 1);
  EXPECT_EQ(count(*mine, Counted::kOpen), 1u);
  EXPECT_TRUE(has_others(*mine));
  kill(child, SIGKILL);  // it says nothing of its end
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(has_others(*mine));
  leave_state(*mine, path.c_str(), kCalls);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  munmap(mine, sizeof *mine);
  close(said[0]);
  close(said[1]);
}

TEST(StateFile, IsNotMadeWhereALinkIs) {
  const std::string path = testing::TempDir() + "headrace-state-link-" + std::to_string(getpid());
  ASSERT_EQ(symlink("/nothing/there", path.c_str()), 0);
  EXPECT_EQ(join_state(path.c_str(), kCalls), nullptr);
  unlink(path.c_str());
}

}  // namespace
}  // namespace headrace::workload::emulation
