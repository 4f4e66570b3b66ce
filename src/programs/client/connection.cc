#include "programs/client/connection.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "forward/program/spec.h"

std::optional<std::string> headrace_forward::below_root(const char* path) const {
  std::string_view text = path;
  std::string plain = headrace::forward::program::plain_path(text.starts_with('/') ? text : "/" + std::string(text));
  while (plain.ends_with('/')) plain.pop_back();
  if (text.starts_with('/')) {
    if (!plain.starts_with(prefix) || (plain.size() > prefix.size() && plain[prefix.size()] != '/')) return {};
    plain.erase(0, prefix.size());
  }
  if (plain.empty()) return base.substr(0, base.empty() ? 0 : base.size() - 1);
  return base + plain.substr(1);
}

headrace_forward::~headrace_forward() {
  if (!is_own()) {
    // Threads are the parent's, and locks in any state.
    (void)client.release();
    for (std::thread& thread : threads_) (void)new std::thread(std::move(thread));
    if (event_ >= 0) close(event_);
    return;
  }
  for (size_t i = 0; i < threads_.size(); ++i) client->channel(i).stop_serving();
  for (std::thread& thread : threads_) thread.join();
  if (event_ >= 0) close(event_);
}

/// The program's signals are for the program's threads.
int headrace_forward::descriptor() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (event_ >= 0) return event_;
  const int made = eventfd(static_cast<unsigned>(done_.size()), EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
  if (made < 0) return -errno;
  event_ = made;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (size_t i = 0; i < client->servers(); ++i)
    threads_.emplace_back([channel = &client->channel(i)] { channel->serve(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return event_;
}

void headrace_forward::has_done(headrace_forward_request* request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (event_ < 0) return;
  done_.push_back(request);
  eventfd_write(event_, 1);
}

headrace_forward_request* headrace_forward::next() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (done_.empty()) return nullptr;
  eventfd_t one;
  eventfd_read(event_, &one);
  headrace_forward_request* first = done_.front();
  done_.pop_front();
  return first;
}

void headrace_forward::forget(headrace_forward_request* request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(done_.begin(), done_.end(), request);
  if (found == done_.end()) return;
  eventfd_t one;
  eventfd_read(event_, &one);
  done_.erase(found);
}

int64_t headrace_forward_request::result() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (const int error = started.wait(); error != 0) return -error;
  if (counts != nullptr) std::copy(started.counts().begin(), started.counts().end(), counts);
  if (is_append) return static_cast<int64_t>(started.offset());
  uint64_t all = bytes;
  for (const uint64_t count : started.counts()) all += count;
  return static_cast<int64_t>(all);
}
