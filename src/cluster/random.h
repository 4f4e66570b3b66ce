#pragma once
// Numbers that look random and depend on nothing but the seed, on every machine.

#include <cstdint>
#include <vector>

#include "base/hash.h"

namespace headrace::cluster {

class Random {
 public:
  Random(uint64_t seed, uint64_t stream) : state_(base::mix(seed, stream)) {}

  uint64_t next() { return base::mix(state_, ++drawn_); }
  /// Below `bound`, which is not 0. Uneven by less than bound/2^64.
  uint64_t below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(static_cast<Wide>(next()) * bound >> 64);
  }
  /// `count` different numbers below `bound`, or all of them.
  std::vector<uint32_t> choose(uint32_t count, uint32_t bound) {
    std::vector<uint32_t> all(bound);
    for (uint32_t i = 0; i < bound; ++i) all[i] = i;
    if (count > bound) count = bound;
    for (uint32_t i = 0; i < count; ++i) std::swap(all[i], all[i + below(bound - i)]);
    all.resize(count);
    return all;
  }

 private:
  uint64_t state_, drawn_ = 0;
};

}  // namespace headrace::cluster
