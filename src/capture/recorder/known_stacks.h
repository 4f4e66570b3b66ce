// What a thread remembers of stacks, so that one met again costs a comparison of its return addresses and no walk.
#pragma once
#include "capture/recorder/stack_walk.h"

namespace headrace::capture {

/// A stack as it lay in memory, and where the spool has it.
struct KnownStack {
  uint32_t version;     // one more with each walk that fills it, so that a walk sees when a signal handler took it over
  uint32_t generation;  // of the spool
  uint32_t stack;       // Stack; 0: nothing here
  uint16_t passing[4];  // numbers of its modules that may be unloaded
  uint32_t passing_count;
  uintptr_t place;
  Frames frames;
};

struct KnownStacks {
  static constexpr uint32_t kSets = 4, kWays = 4;
  KnownStack of[kSets][kWays];
  uint32_t turn;
  uint64_t since, walking;  // ticks: when the first walk began, and what all of them took
};

}  // namespace headrace::capture
