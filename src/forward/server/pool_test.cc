#include "forward/server/pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

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

void add_watched(Pool& pool, std::function<void()> work) {
  std::vector<std::function<void()>> all{std::move(work)};
  pool.add_watched(&all);
  EXPECT_TRUE(all.empty());
}

TEST(PoolTest, DoesAllThatIsAddedWhoeverWatches) {
  std::atomic<int> done = 0;
  Pool pool(4);
  for (int i = 0; i < 10'000; ++i) {
    if (i % 3 == 0)
      pool.add([&] { ++done; });
    else
      add_watched(pool, [&] { ++done; });
  }
  pool.wait_idle();
  EXPECT_EQ(done, 10'000);
  EXPECT_FALSE(pool.is_behind());
}

TEST(PoolTest, WorkThatWaitsForADeviceKeepsNoOtherFromBeingDone) {
  std::atomic<bool> done = false;
  Blocked blocked;
  Pool pool(2);
  for (int i = 0; i < 1000; ++i) add_watched(pool, [] {});  // so that what follows is taken to be as quick
  pool.wait_idle();
  add_watched(pool, [&] { blocked(); });
  blocked.until_begun();
  add_watched(pool, [&] { done = true; });
  while (pool.is_behind()) usleep(1000);
  blocked.end();
  pool.wait_idle();
  EXPECT_TRUE(done);
}

TEST(PoolTest, NobodyIsAskedToWatchWhileAllThreadsAreAtWork) {
  Blocked blocked;
  Pool pool(1);
  pool.add([&] { blocked(); });
  blocked.until_begun();
  add_watched(pool, [] {});
  EXPECT_FALSE(pool.is_behind());
  blocked.end();
}

}  // namespace
}  // namespace headrace::forward
