// Numbers that nobody else has.
#pragma once
#include <sys/random.h>

#include "base/clock.h"
#include "base/hash.h"

namespace headrace::base {

/// For ids, never 0, and never waited for: in the first moments after boot it is made of the time. No secret.
inline uint64_t random_number() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = mix(clock_ns(CLOCK_REALTIME), reinterpret_cast<uintptr_t>(&number));
  return number == 0 ? 1 : number;
}

}  // namespace headrace::base
