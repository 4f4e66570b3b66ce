#pragma once
// Bytes as people compare them: two digits each, the high one first.

#include <cstddef>
#include <cstdint>
#include <string>

namespace headrace::base {

/// Writes two characters a byte, without NUL; the place behind them. Async-signal-safe.
inline char* write_hexadecimal(const uint8_t* bytes, size_t count, char* to) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; ++i) {
    *to++ = kDigits[bytes[i] >> 4];
    *to++ = kDigits[bytes[i] & 15];
  }
  return to;
}

inline std::string hexadecimal(const uint8_t* bytes, size_t count) {
  std::string text(2 * count, '0');
  write_hexadecimal(bytes, count, text.data());
  return text;
}

}  // namespace headrace::base
