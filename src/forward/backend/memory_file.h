// The bytes of a file in memory, in blocks that are there once something was written to them.
#pragma once
#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "forward/backend/backend.h"

namespace headrace::forward {

/// How much all files together may hold.
class MemoryRoom {
 public:
  explicit MemoryRoom(uint64_t capacity) : capacity_(capacity), left_(static_cast<int64_t>(capacity)) {}
  uint64_t capacity() const { return capacity_; }
  uint64_t left() const { return static_cast<uint64_t>(std::max<int64_t>(0, left_)); }
  bool take(uint64_t bytes);
  void give(uint64_t bytes) { left_ += static_cast<int64_t>(bytes); }

 private:
  const uint64_t capacity_;
  std::atomic<int64_t> left_;
};

class MemoryFile : public OpenFile {
 public:
  explicit MemoryFile(MemoryRoom* room) : room_(room) {}
  ~MemoryFile() override;
  Outcome<uint64_t> read(Extent where, uint8_t* into) override;
  Written write(Extent where, const uint8_t* from) override;
  int commit() override { return 0; }
  int resize(uint64_t size) override;
  int extend(uint64_t size) override;
  /// Only what the file itself knows: size, blocks and times.
  Outcome<Attributes> attributes() override;
  /// Somebody set another time of modification.
  void forget_time();

 protected:
  void wrote(uint64_t end);  // needs the lock
  std::mutex mutex_;
  uint64_t size_ = 0;
  int64_t modified_ = 0;

 private:
  static constexpr uint64_t kBlock = 64 << 10;
  MemoryRoom* const room_;
  std::map<uint64_t, std::unique_ptr<uint8_t[]>> blocks_;
};

int64_t time_now();  // nanoseconds since 1970

}  // namespace headrace::forward
