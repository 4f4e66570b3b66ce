// Counts calls that go to no file (capture/apart_calls.h). In a vfork child it counts for the child.
#pragma once
#include "capture/recorder/state.h"

namespace headrace::capture {

/// In place of the function of a call that is not told.
inline constexpr auto kNobodys = static_cast<Fn>(0);

struct ApartCall {
  Fn function;
  uint32_t does;        // as in apart_calls.h
  uint64_t tag;         // of the descriptor (descriptors.h); kUnknownTag: it was on a path, or nobody looked
  int64_t result;       // bytes that were read or written, or 0; negative: it failed
  uint64_t start, end;  // ticks; equal: not taken
  uint64_t calls = 1;
  bool half = false;  // of a copy: its function is counted with the other one
};

/// A call for which no section could be entered: nothing of it is counted yet. Async-signal-safe; keeps errno.
HEADRACE_COLD void count_apart(const ApartCall& call);
/// The same of a library's function, by its number.
HEADRACE_COLD void count_library_apart(uint32_t number, bool ok, uint64_t bytes, uint64_t spent);
/// A call that finds no room at its file, or with its function (kDoesOther). Inside a section. `profiled`: its function
/// has it.
HEADRACE_COLD void count_without_room(const ApartCall& call, bool profiled);
/// A call on a descriptor that has no record, which its function has.
HEADRACE_COLD void count_without_record(const ApartCall& call, Apart why);
/// Why an open descriptor has no record.
HEADRACE_COLD Apart why_without_record(int fd);

}  // namespace headrace::capture
