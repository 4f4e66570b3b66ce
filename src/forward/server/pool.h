// Threads that may sleep: calls of back ends that wait for devices run here.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headrace::forward {

class Pool {
 public:
  explicit Pool(unsigned threads);
  ~Pool() { finish(); }
  /// Returns when all that was added is done. Nothing may be added any more.
  void finish();
  void add(std::function<void()> work);
  /// The same, by somebody who calls is_behind() every millisecond as long as that says so. While work takes less time
  /// than waking a thread does, it is left to a thread that is awake.
  void add_watched(std::vector<std::function<void()>>* work);  // which is empty then
  /// Whether work waits that an idle thread could do. Wakes one where that has been so for a millisecond.
  bool is_behind();
  /// Returns when nothing is to be done and nothing is being done.
  void wait_idle();

 private:
  void run();
  bool is_quick() const { return average_ns_ < kQuickNs; }

  static constexpr uint64_t kQuickNs = 50'000, kPatienceNs = 1'000'000;

  std::mutex mutex_;
  std::condition_variable changed_, idle_;
  std::deque<std::function<void()>> work_;
  size_t running_ = 0;
  uint64_t average_ns_ = kQuickNs;  // of work lately
  uint64_t taken_ns_ = 0;           // when some was begun last
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headrace::forward
