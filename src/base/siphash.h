#pragma once
// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a hash that nobody can compute, or
// turn back by trying inputs, without its key of 128 random bits; of 64 bits, or of 128 where somebody may try for long
// to guess one. siphash_test.cc has the values of the paper's authors.
//
// Header-only, no allocation, no globals: safe in any thread and after fork.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace headrace::base {

using SipKey = std::array<uint8_t, 16>;

namespace siphash_internal {

inline uint64_t load(const uint8_t* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i) word |= uint64_t{bytes[i]} << (8 * i);
  return word;
}

struct State {
  uint64_t a, b, c, d;

  void round() {
    a += b, c += d;
    b = std::rotl(b, 13) ^ a, d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b, a += d;
    b = std::rotl(b, 17) ^ c, d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void take(uint64_t word) {
    d ^= word;
    round(), round();
    a ^= word;
  }
};

/// The state after all of the text.
inline State digest(const SipKey& key, std::string_view text, uint64_t variant) {
  const uint64_t low = load(key.data(), 8), high = load(key.data() + 8, 8);
  State state = {low ^ 0x736f6d6570736575, high ^ 0x646f72616e646f6d ^ variant, low ^ 0x6c7967656e657261,
                 high ^ 0x7465646279746573};
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  size_t left = text.size();
  for (; left >= 8; left -= 8, bytes += 8) state.take(load(bytes, 8));
  state.take(load(bytes, left) | uint64_t{text.size() & 0xff} << 56);
  return state;
}

inline uint64_t finish(State& state) {
  for (int i = 0; i < 4; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace siphash_internal

inline uint64_t siphash(const SipKey& key, std::string_view text) {
  using namespace siphash_internal;
  State state = digest(key, text, 0);
  state.c ^= 0xff;
  return finish(state);
}

inline std::array<uint8_t, 16> siphash128(const SipKey& key, std::string_view text) {
  using namespace siphash_internal;
  State state = digest(key, text, 0xee);
  state.c ^= 0xee;
  const uint64_t first = finish(state);
  state.b ^= 0xdd;
  const uint64_t second = finish(state);
  std::array<uint8_t, 16> result;
  for (size_t i = 0; i < 8; ++i) {
    result[i] = static_cast<uint8_t>(first >> (8 * i));
    result[i + 8] = static_cast<uint8_t>(second >> (8 * i));
  }
  return result;
}

}  // namespace headrace::base
