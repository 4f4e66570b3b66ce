// What the spool's memory is given to, where it comes to its end or cannot grow for a while.
#include "capture/recorder/spool.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "capture/recorder/sizes.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

/// While it lives the process can open nothing.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_;
};

TEST(Spool, ThreadsLeaveToFoldsWhatTheyNeed) {
  ASSERT_TRUE(create_spool(nullptr, kSmallestLimit, 64 << 10));
  SpoolLock lock;
  while (allocate(64, Use::kThread) != 0) {
  }
  EXPECT_EQ(allocate(64), 0u);
  OpenReserve for_a_fold;
  EXPECT_NE(allocate(8 << 10), 0u);
}

class SpoolOfAProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = std::filesystem::temp_directory_path() / ("headrace-spool-" + std::to_string(getpid()));
    std::filesystem::create_directories(base_);
    setenv("HEADRACE_SPOOL", base_.c_str(), 1);
    ASSERT_TRUE(ready());
  }
  void TearDown() override { std::filesystem::remove_all(base_); }
  /// Whether one that begins now has figures of its own; its memory is used again by the next one.
  static bool thread_has_block() {
    bool has = false;
    std::thread([&] {
      ensure_thread();
      has = block != nullptr;
    }).join();
    return has;
  }
  std::filesystem::path base_;
};

TEST_F(SpoolOfAProcess, GrowsAgainOnceThereAreDescriptors) {
  {
    NoDescriptors now;
    SpoolLock lock;
    for (uint32_t size = 4096; size >= 64; size /= 2)
      while (allocate(size, Use::kThread) != 0) {
      }
  }
  SizeCursor sizes{};
  {
    NoDescriptors now;
    EXPECT_FALSE(thread_has_block());
    count_other_size(sizes, 10, 1);
    EXPECT_EQ(sizes.bins, 0u);
  }
  // Not with each call at once, but soon.
  for (int i = 0; i < 1000 && !thread_has_block(); ++i) usleep(1000);
  EXPECT_TRUE(thread_has_block());
  for (int i = 0; i < 1000 && sizes.bins == 0; ++i) {
    count_other_size(sizes, 10, 1);
    usleep(1000);
  }
  EXPECT_NE(sizes.bins, 0u);
}

}  // namespace
}  // namespace headrace::capture
