// How to get from a function's frame to its caller's: the call frame information that compilers leave in .eh_frame
// (DWARF 5, chapter 6.4; the search table is that of the Linux Standard Base, "Exception Frames").
//
// Only what a walk along return addresses needs is worked out: the canonical frame address (CFA), where the return
// address is, and where the frame pointer was saved. Nothing is allocated, no lock is taken, every byte is checked to
// lie inside its object and to be readable.
#pragma once
#include "capture/recorder/loaded_objects.h"

namespace headrace::capture {

struct FrameRule {
  enum Cfa : uint8_t { kUnknown, kFromStack, kFromFrame, kAtFrame, kAtStack };  // …At: the word there is the CFA
  enum Pointer : uint8_t { kSame, kSaved, kSavedAtFrame };  // relative to the CFA, or to the frame pointer
  Cfa cfa = kUnknown;
  Pointer frame_pointer = kSame;
  bool outermost = false;  // nobody called this
  bool signal = false;     // the kernel did, to run a signal handler
  int32_t cfa_offset = 0, frame_pointer_offset = 0, return_offset = 0;
};

/// The rule at `pc`, which lies in `object`. kUnknown: there is no information, or of a kind that is not followed.
FrameRule frame_rule(const LoadedObject& object, uintptr_t pc);

}  // namespace headrace::capture
