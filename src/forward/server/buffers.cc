#include "forward/server/buffers.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace headrace::forward {

Buffer::Buffer(Buffer&& other) noexcept
    : from_(other.from_), data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  from_ = other.from_;
  data_ = std::exchange(other.data_, nullptr);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

void Buffer::release() {
  if (data_ != nullptr) from_->give(std::exchange(data_, nullptr), std::exchange(capacity_, 0));
}

// One request must never need all memory: others would wait for it, and it for them.
Buffers::Buffers(uint64_t memory, std::function<void()> on_room)
    : memory_(memory), largest_(std::bit_floor(memory / 4)), on_room_(std::move(on_room)) {}

Buffers::~Buffers() {
  for (size_t i = 0; i < kClasses; ++i) {
    for (uint8_t* data : free_[i]) munmap(data, size_t{1} << (i + kSmallest));
  }
}

void Buffers::count(int64_t bytes) {
  used_ += static_cast<uint64_t>(bytes);
  most_used_ = std::max(most_used_.load(), used_.load());
}

/// Whether so much more may be in use, if need be instead of what is kept for nobody.
bool Buffers::make_room(size_t bytes, size_t spare) {
  if (used_ + bytes + spare > memory_) {
    wanted_ = true;
    return false;
  }
  for (size_t i = kClasses; i-- > 0 && used_ + kept_ + bytes > memory_;) {
    while (!free_[i].empty() && used_ + kept_ + bytes > memory_) {
      munmap(free_[i].back(), size_t{1} << (i + kSmallest));
      free_[i].pop_back();
      kept_ -= size_t{1} << (i + kSmallest);
    }
  }
  return true;
}

Buffer Buffers::take(size_t bytes, size_t spare) {
  const size_t capacity = std::bit_ceil(std::max(bytes, size_t{1} << kSmallest));
  const size_t place = static_cast<size_t>(std::countr_zero(capacity)) - kSmallest;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (capacity > largest_ || place >= kClasses) return {};
  if (!free_[place].empty() && used_ + capacity + spare <= memory_) {
    uint8_t* data = free_[place].back();
    free_[place].pop_back();
    kept_ -= capacity;
    count(static_cast<int64_t>(capacity));
    return {this, data, capacity};
  }
  if (!make_room(capacity, spare)) return {};
  void* data = mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    wanted_ = true;
    return {};
  }
  count(static_cast<int64_t>(capacity));
  return {this, static_cast<uint8_t*>(data), capacity};
}

void Buffers::tell(std::unique_lock<std::mutex>& lock) {
  const bool wanted = std::exchange(wanted_, false);
  lock.unlock();
  if (wanted) on_room_();
}

void Buffers::give(uint8_t* data, size_t capacity) {
  std::unique_lock<std::mutex> lock(mutex_);
  free_[static_cast<size_t>(std::countr_zero(capacity)) - kSmallest].push_back(data);
  kept_ += capacity;
  count(-static_cast<int64_t>(capacity));
  tell(lock);
}

bool Buffers::charge(size_t bytes, size_t spare) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!make_room(bytes, spare)) return false;
  count(static_cast<int64_t>(bytes));
  return true;
}

void Buffers::discharge(size_t bytes) {
  std::unique_lock<std::mutex> lock(mutex_);
  count(-static_cast<int64_t>(bytes));
  tell(lock);
}

}  // namespace headrace::forward
