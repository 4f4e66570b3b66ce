#include "forward/server/pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace headrace::forward {
namespace {

/// Work that waits until it may end.
class Blocked {
 public:
  void operator()() {
    std::unique_lock<std::mutex> lock(mutex_);
    begun_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return may_end_; });
  }
  void until_begun() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return begun_; });
  }
  void end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    may_end_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool begun_ = false, may_end_ = false;
};

TEST(PoolTest, DoesAllThatIsAddedWhoeverWatches) {
  std::atomic<int> done = 0;
  Pool pool(4);
  for (int i = 0; i < 10'000; ++i) {
    if (i % 3 == 0)
      pool.add([&] { ++done; });
    else
      pool.add_watched([&] { ++done; });
  }
  pool.wait_idle();
  EXPECT_EQ(done, 10'000);
  EXPECT_FALSE(pool.is_behind());
}

TEST(PoolTest, WorkThatWaitsForADeviceKeepsNoOtherFromBeingDone) {
  Pool pool(2);
  for (int i = 0; i < 1000; ++i) pool.add_watched([] {});  // so that what follows is taken to be as quick
  pool.wait_idle();
  Blocked blocked;
  pool.add_watched([&] { blocked(); });
  blocked.until_begun();
  std::atomic<bool> done = false;
  pool.add_watched([&] { done = true; });
  while (pool.is_behind()) usleep(1000);
  blocked.end();
  pool.wait_idle();
  EXPECT_TRUE(done);
}

TEST(PoolTest, NobodyIsAskedToWatchWhileAllThreadsAreAtWork) {
  Pool pool(1);
  Blocked blocked;
  pool.add([&] { blocked(); });
  blocked.until_begun();
  pool.add_watched([] {});
  EXPECT_FALSE(pool.is_behind());
  blocked.end();
}

}  // namespace
}  // namespace headrace::forward
