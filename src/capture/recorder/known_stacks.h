// What a thread remembers of stacks, so that one met again costs a comparison of its return addresses and no walk.
#pragma once
#include "capture/recorder/stack_walk.h"

namespace headrace::capture {

/// Whether Python code is behind the machine code of a stack.
enum class PythonPart : uint8_t {
  kNone,
  kCalled,  // the interpreter is among the callers
  kDeep     // there are too many callers to tell
};

/// A stack as it lay in memory, and where the spool has it.
struct KnownStack {
  uint32_t version;     // one more with each walk that fills it, so that a walk sees when a signal handler took it over
  uint32_t generation;  // of the spool
  uint32_t stack;       // Stack; 0: nothing here; with Python above it any other number: see KnownPython
  uint16_t passing[4];  // numbers of its modules that may be unloaded
  uint32_t passing_count;
  PythonPart python;
  uintptr_t place;
  uint64_t hash;  // of the frames' addresses
  Frames frames;
};

/// A stack in the spool by its return addresses and Python frames: a row written by two at once fits no key.
struct KnownPython {
  uint64_t check, stack;  // check = key ^ stack
};

struct KnownStacks {
  static constexpr uint32_t kSets = 4, kWays = 4;
  static constexpr uint32_t kPython = 64;
  KnownStack of[kSets][kWays];
  KnownPython python[kPython];
  uint32_t turn;
  uint64_t since, walking;  // ticks: when the first walk began, and what all of them took
};

}  // namespace headrace::capture
