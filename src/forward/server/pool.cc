#include "forward/server/pool.h"

#include "base/clock.h"

namespace headrace::forward {

Pool::Pool(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

void Pool::finish() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Pool::add(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void Pool::add_watched(std::vector<std::function<void()>>* work) {
  if (work->empty()) return;
  size_t wake;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wake = is_quick() ? running_ == 0 : work->size();
    for (auto& each : *work) work_.push_back(std::move(each));
  }
  work->clear();
  for (size_t i = 0; i < wake && i < threads_.size(); ++i) changed_.notify_one();
}

bool Pool::is_behind() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (work_.empty() || running_ == threads_.size()) return false;
  // The thread that was to do it waits for a device.
  if (base::clock_ns(CLOCK_MONOTONIC) - taken_ns_ > kPatienceNs) changed_.notify_one();
  return true;
}

void Pool::wait_idle() {
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [this] { return running_ == 0 && work_.empty(); });
}

void Pool::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
    if (work_.empty()) return;
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    ++running_;
    const uint64_t begin = taken_ns_ = base::clock_ns(CLOCK_MONOTONIC);
    lock.unlock();
    work();
    work = nullptr;  // what it holds is given back without the lock
    const uint64_t took = base::clock_ns(CLOCK_MONOTONIC) - begin;
    lock.lock();
    average_ns_ = (average_ns_ * 7 + took) / 8;
    if (--running_ == 0 && work_.empty()) idle_.notify_all();
  }
}

}  // namespace headrace::forward
