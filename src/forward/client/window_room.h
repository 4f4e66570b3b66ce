// Who has which part of a client's window: up to 64 units of equal size.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace headrace::forward {

class WindowRoom {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;

  explicit WindowRoom(size_t bytes = 0) : unit_(bytes / 64) {}
  uint64_t units(size_t bytes) const { return unit_ == 0 ? 0 : (bytes + unit_ - 1) / unit_; }

  /// Where there are so many bytes in a row, or kNone.
  uint64_t take(size_t bytes) {
    const uint64_t count = units(bytes);
    if (count == 0 || count > 64) return kNone;
    const uint64_t mask = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    for (uint64_t at = 0; at + count <= 64; ++at) {
      if ((taken_ & mask << at) != 0) continue;
      taken_ |= mask << at;
      return at * unit_;
    }
    return kNone;
  }

  void give(uint64_t at, uint64_t count) {
    const uint64_t mask = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    taken_ &= ~(mask << at / unit_);
  }

 private:
  size_t unit_;
  uint64_t taken_ = 0;
};

}  // namespace headrace::forward
