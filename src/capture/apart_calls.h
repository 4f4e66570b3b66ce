// Calls that are counted apart from files: those for which no record could be looked up or changed when they were
// over. They lie in the spool's Header, by function, since there may be no other memory; and they are changed by atomic
// steps, since a signal handler may have come between any two instructions of its own thread.
//
// What is written here is in no Direction or Shard of a record, and in no Profile unless the row says so.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// Why a call is in no file.
enum class Apart : uint8_t {
  kNoMemory,      // for a record, or for what the thread counts
  kNoDescriptor,  // to get memory with
  kTooManyFiles,  // open at once, or the descriptor's number is too high
  kInterrupting,  // made by a signal handler that came during an update
  kRingsOwn,      // on a file that io_uring opened into a ring's own table
  kVforkChild,    // made by a child that runs in its parent's memory
  kReasons
};

/// What a call was on: a RecordKind, or one of these.
inline constexpr uint32_t kOnUnknown = 14, kOnExcluded = 15;
/// What a call did: a Metadata::Count, or one of these.
inline constexpr uint32_t kDoesRead = 26, kDoesWrite = 27, kDoesOpen = 28, kDoesClose = 29, kDoesOther = 30;

struct ApartCalls {
  uint64_t key;  // ApartKey; 0: the row is free, or one for what finds none
  uint64_t calls, errors, bytes;
  uint64_t time, max_time;  // ticks
};

/// The key of a row. Function 0: of several that found no row of their own.
struct ApartKey {
  uint32_t function;  // number in functions.def; of a library's function with kLibraryFunction
  uint32_t does, on;
  Apart why;
  bool profiled;  // the calls are in their function's Profile

  constexpr uint64_t packed() const {
    return uint64_t{1} << 63 | uint64_t{profiled} << 40 | uint64_t{static_cast<uint8_t>(why)} << 32 |
           uint64_t{on} << 24 | uint64_t{does} << 16 | function;
  }
  static constexpr ApartKey unpacked(uint64_t key) {
    return {static_cast<uint32_t>(key & 0xffff), static_cast<uint32_t>(key >> 16 & 0xff),
            static_cast<uint32_t>(key >> 24 & 0xff), static_cast<Apart>(key >> 32 & 0xff), (key >> 40 & 1) != 0};
  }
};

inline constexpr uint32_t kApartRows = 40;
/// Behind them: what finds no row, by direction (read, written, others) and layer (posix, stdio, libraries).
inline constexpr uint32_t kApartRest = 9;

}  // namespace headrace::capture
