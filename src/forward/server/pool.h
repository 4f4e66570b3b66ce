// Threads that may sleep: calls of back ends that wait for devices run here.
#pragma once
#include <condition_variable>
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
  /// Returns when nothing is to be done and nothing is being done.
  void wait_idle();

 private:
  void run();
  std::mutex mutex_;
  std::condition_variable changed_, idle_;
  std::deque<std::function<void()>> work_;
  size_t running_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headrace::forward
