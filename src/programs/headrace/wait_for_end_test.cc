#include "programs/headrace/wait_for_end.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headrace::programs {
namespace {

constexpr int kVeryLong = 1'000'000;  // ms; the test itself would be killed long before

TEST(WaitForEnd, ComesBackSoonWhereProcessesCannotBeWatched) {
  const std::vector<uint32_t> alive = {static_cast<uint32_t>(getpid())};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_FALSE(wait_for_end(alive, kVeryLong, 1));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(wait_for_end(std::vector<uint32_t>(300, alive[0]), kVeryLong, 1)) << "too many";
  EXPECT_FALSE(wait_for_end(alive, 1, kVeryLong));
}

TEST(WaitForEnd, SeesTheEndOfOne) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  EXPECT_TRUE(wait_for_end({static_cast<uint32_t>(getpid()), static_cast<uint32_t>(child)}, kVeryLong, kVeryLong));
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace headrace::programs
