#pragma once
// The 64-bit content hash behind every id in a log. It is part of the file format: the same bytes give the same id on
// every machine, byte order, compiler and version, for ever. hash_test.cc pins values; never change the function.
//
//   state = kPi ^ length·kGolden                        (arithmetic modulo 2^64)
//   for each 8 bytes, little-endian, the last ones padded with zeros:  state = fold(state ^ word, kE)
//   result = fold(state ^ kGolden, kPi), then one xor-shift; 0 becomes 1, so that 0 can mean "none"
//
// fold(a, b) is the high half of the 128-bit product xor its low half. The constants are the first 64 fraction bits
// of pi, of the golden ratio and of e - 2, the last bit set to make each odd: numbers nobody chose.
// Not a defence against somebody who constructs collisions; for n random names the odds of any are about n²/2^65.
//
// Header-only, no allocation, no globals: safe in signal handlers, in any thread and inside foreign processes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace headrace::base {

namespace hash_internal {

inline constexpr uint64_t kPi = 0x243f6a8885a308d3;
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
inline constexpr uint64_t kE = 0xb7e151628aed2a6b;

constexpr uint64_t fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

constexpr uint64_t finish(uint64_t state) {
  state = fold(state ^ kGolden, kPi);
  state ^= state >> 32;
  return state == 0 ? 1 : state;
}

inline uint64_t load_little(const unsigned char* bytes, size_t count) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, count);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

}  // namespace hash_internal

/// Id of a sequence of bytes; never 0.
inline uint64_t hash_bytes(const void* data, size_t length) {
  using namespace hash_internal;
  const auto* bytes = static_cast<const unsigned char*>(data);
  uint64_t state = kPi ^ (static_cast<uint64_t>(length) * kGolden);
  size_t left = length;
  for (; left >= 8; left -= 8, bytes += 8) state = fold(state ^ load_little(bytes, 8), kE);
  if (left > 0) state = fold(state ^ load_little(bytes, left), kE);
  return finish(state);
}

inline uint64_t hash_text(std::string_view text) { return hash_bytes(text.data(), text.size()); }

/// Id of an ordered pair of ids, for example of (process, path); never 0. Chains: mix(mix(a, b), c).
constexpr uint64_t mix(uint64_t first, uint64_t second) {
  using namespace hash_internal;
  return finish(fold(fold(kGolden ^ first, kE) ^ second, kE));
}

}  // namespace headrace::base
