#pragma once
// Variable-length integers: seven bits a byte, least significant first, the high bit set on all bytes but the last;
// signed values by zig-zag (0, -1, 1, -2 …), so that small magnitudes stay short. At most ten bytes.

#include <cstdint>

#include "base/bytes.h"

namespace headrace::base {

inline constexpr int kMaxVarintBytes = 10;

constexpr uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t unzigzag(uint64_t value) { return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

/// Writes to `to`, which has room for kMaxVarintBytes, and returns the end.
inline uint8_t* put_varint(uint8_t* to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<uint8_t>(value | 0x80);
  *to++ = static_cast<uint8_t>(value);
  return to;
}

inline void write_varint(ByteWriter& writer, uint64_t value) {
  uint8_t bytes[kMaxVarintBytes];
  writer.append({bytes, put_varint(bytes, value)});
}

/// False: the bytes end inside the integer, it exceeds 64 bits, or it is longer than needed (each value has one form).
inline bool read_varint(ByteReader& reader, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = reader.u8();
    if (!reader.ok()) return false;
    if (shift == 63 && byte > 1) return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return shift == 0 || byte != 0;
  }
  return false;
}

}  // namespace headrace::base
