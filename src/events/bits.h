#pragma once
// Numbers of as many bits as they need, one after the other, least significant first. How many each has is kept
// elsewhere; the highest of them is always set and not stored. Internal to events.

#include <bit>
#include <cstdint>
#include <cstring>

namespace headrace::events {

inline constexpr size_t kBitsPadding = 16;  // bytes that a BitReader may touch behind the last one

/// How many bits a number has: 0 to 64.
inline unsigned length_of(uint64_t value) { return static_cast<unsigned>(std::bit_width(value)); }

/// Bits of a number of this length that are stored.
constexpr unsigned stored_bits(unsigned length) { return length > 1 ? length - 1 : 0; }

class BitWriter {
 public:
  /// `to` has room for eight bytes a number and eight more.
  explicit BitWriter(uint8_t* to) : to_(to) {}

  /// Stores what waits every time, which costs less than to ask whether it must.
  void put(uint64_t value, unsigned length) {
    unsigned count = stored_bits(length);
    value &= ~(uint64_t{1} << count);
    if (count > kAtOnce) [[unlikely]] {
      put_few(value & 0xff, 8);
      value >>= 8;
      count -= 8;
    }
    put_few(value, count);
  }

  /// The end of what was written.
  uint8_t* finish() { return to_ + (used_ + 7) / 8; }

 private:
  static constexpr unsigned kAtOnce = 56;

  void put_few(uint64_t value, unsigned count) {
    waiting_ |= value << used_;
    std::memcpy(to_, &waiting_, sizeof waiting_);
    used_ += count;
    to_ += used_ >> 3;
    waiting_ >>= used_ & ~7u;
    used_ &= 7;
  }

  uint8_t* to_;
  uint64_t waiting_ = 0;
  unsigned used_ = 0;  // bits of it, fewer than 8
};

/// Checks nothing: the caller has made sure that all the bits are there, and kBitsPadding bytes behind them.
class BitReader {
 public:
  explicit BitReader(const uint8_t* from) : from_(from) {}

  uint64_t take(unsigned length) {
    const unsigned count = stored_bits(length);
    if (count == 0) return length;
    const uint8_t* byte = from_ + (at_ >> 3);
    const unsigned shift = at_ & 7;
    uint64_t value;
    std::memcpy(&value, byte, sizeof value);
    value >>= shift;
    if (shift + count > 64) value |= uint64_t{byte[8]} << (64 - shift);
    at_ += count;
    const uint64_t top = uint64_t{1} << count;
    return (value & (top - 1)) | top;
  }

 private:
  const uint8_t* from_;
  uint64_t at_ = 0;
};

}  // namespace headrace::events
