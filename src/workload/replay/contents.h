// What files of a replay hold: bytes that look random, since what the job's held is not known, and zeros would be
// stored in no time by file systems that compress.
#pragma once
#include <cstdint>
#include <cstring>

#include "base/hash.h"

namespace headrace::workload::replay {

inline void fill_contents(uint8_t* to, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += sizeof at) {
    const uint64_t word = base::mix(bytes, at);
    memcpy(to + at, &word, bytes - at < sizeof word ? bytes - at : sizeof word);
  }
}

}  // namespace headrace::workload::replay
