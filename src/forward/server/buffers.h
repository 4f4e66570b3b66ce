// All memory that a server uses for the data of others, and the bound on it.
//
// Who finds no buffer waits: a connection is then not read from, so data stays where it is. Buffers have sizes of
// powers of two and are kept for the next user, since fresh memory costs more than filling it.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace headrace::forward {

class Buffers;

/// Memory that goes back where it came from.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer() { release(); }
  void release();
  explicit operator bool() const { return data_ != nullptr; }
  uint8_t* data() const { return data_; }
  size_t capacity() const { return capacity_; }

 private:
  friend class Buffers;
  Buffer(Buffers* from, uint8_t* data, size_t capacity) : from_(from), data_(data), capacity_(capacity) {}
  Buffers* from_ = nullptr;
  uint8_t* data_ = nullptr;
  size_t capacity_ = 0;
};

class Buffers {
 public:
  /// `on_room` is called, in any thread, when there may be room again for those who found none.
  Buffers(uint64_t memory, std::function<void()> on_room);
  ~Buffers();

  /// Nothing when there is no room now, or less than `spare` would be left; `on_room` is then called later. More than
  /// largest() never fits.
  Buffer take(size_t bytes, size_t spare = 0);
  size_t largest() const { return largest_; }

  /// For the data of a write that has come. While others are held, large ones leave an eighth to small ones, and these
  /// a half of that to calls that bring no data, which are answered while writes wait for a disk.
  Buffer take_for_write(size_t bytes) {
    constexpr size_t kSmall = 64 << 10;
    return take(bytes, held == 0 ? 0 : bytes > kSmall ? memory_ / 8 : memory_ / 16);
  }
  std::atomic<uint64_t> held = 0;  // bytes of writes that are not in their files yet

  /// Counts memory that is not a buffer; false when there is no room for it.
  bool charge(size_t bytes, size_t spare = 0);
  void discharge(size_t bytes);

  uint64_t memory() const { return memory_; }
  uint64_t used() const { return used_; }
  uint64_t most_used() const { return most_used_; }

 private:
  friend class Buffer;
  static constexpr size_t kSmallest = 12, kClasses = 20;  // 4 KiB to 2 GiB
  void give(uint8_t* data, size_t capacity);
  bool make_room(size_t bytes, size_t spare);  // needs the lock
  void count(int64_t bytes);                   // needs the lock
  void tell(std::unique_lock<std::mutex>& lock);

  const uint64_t memory_;
  size_t largest_;
  const std::function<void()> on_room_;
  std::mutex mutex_;
  std::array<std::vector<uint8_t*>, kClasses> free_;
  uint64_t kept_ = 0;  // bytes in `free_`
  std::atomic<uint64_t> used_ = 0, most_used_ = 0;
  bool wanted_ = false;
};

}  // namespace headrace::forward
