// Walks from the present function to its callers, by return addresses.
//
// Takes no lock, allocates nothing, reads only memory that was seen to be readable, and ends after kWalkFrames: it
// may run anywhere, in a signal handler or on a smashed stack, and then finds less. Where a function has no call frame
// information (machine code made at run time) the chain of frame pointers is tried.
#pragma once
#include "capture/recorder/frame_rules.h"
#include "capture/recorder/readable.h"
#include "capture/spool_layout.h"

namespace headrace::capture {

inline constexpr uint32_t kWalkFrames = kStackFrames + 8;  // those of this library come first

/// Where a walk begins.
struct Place {
  uintptr_t pc, stack, frame;
};
/// The place of its caller's instruction; always inlined.
__attribute__((always_inline)) inline Place this_place() {
  Place here;
#if defined(__x86_64__)
  asm volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
               : "=r"(here.pc), "=r"(here.stack), "=r"(here.frame));
#elif defined(__aarch64__)
  asm volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29" : "=r"(here.pc), "=r"(here.stack), "=r"(here.frame));
#endif
  return here;
}

/// What a walk finds: return addresses and where on the stack they lie.
struct Frames {
  uint32_t count;
  bool whole;  // it ended at the outermost function
  uint64_t address[kWalkFrames];
  uint32_t slot[kWalkFrames];  // bytes above Place::stack
};

/// `stack`: the memory of the stack that is known to be readable.
void walk_stack(Place from, Readable stack, Frames* out);

}  // namespace headrace::capture
