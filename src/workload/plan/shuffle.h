// The numbers 0 … n-1 in an order that looks random, without a table of them.
//
// A Feistel network of four rounds over the smallest power of four that holds n; numbers beyond n walk on until they
// are inside (J. Black, P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). No memory, any thread.
#pragma once
#include <cstdint>

#include "base/hash.h"

namespace headrace::workload {

class Shuffle {
 public:
  Shuffle(uint64_t count, uint64_t seed) : count_(count), seed_(seed) {
    while (half_ < 32 && (uint64_t{1} << (2 * half_)) < count) ++half_;
  }

  /// Which number comes at `place`; both less than the count.
  uint64_t operator()(uint64_t place) const {
    do place = permute(place);
    while (place >= count_);
    return place;
  }

 private:
  uint64_t permute(uint64_t value) const {
    const uint64_t mask = (uint64_t{1} << half_) - 1;
    uint64_t left = value >> half_, right = value & mask;
    for (uint64_t round = 0; round < 4; ++round) {
      const uint64_t next = left ^ (base::mix(seed_ + round, right) & mask);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  uint64_t count_, seed_;
  unsigned half_ = 1;
};

}  // namespace headrace::workload
