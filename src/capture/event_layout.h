// The events of one process image, in a file of its own beside its spool: complete after every call that returned.
//
// As with the spool (spool_layout.h) the recorder is its only writer, the harvester reads it once the process is dead,
// both are of one build, and the harvester trusts nothing in it.
//
//   EventFileHeader, FlushHeader (flush_layout.h), then entries at multiples of 64 bytes, each as long as it says, up
//   to `used`:
//     EventBlock   what one thread did, in order; `count` alone commits an event. A thread's blocks are in file order.
//                  Events lie there as packed_event.h has it.
//     EventName    what a number in events stands for: a file's path (kName), or a region or counter (kRegion); or
//                  what was left out by wish (kFilter), or what the thread of a number is called (kThreadName, of
//                  several the last)
#pragma once
#include <cstddef>
#include <cstdint>

#include "capture/clock_layout.h"

namespace headrace::capture {

inline constexpr uint64_t kEventMagic = 0x31544e5645524448;  // "HDREVNT1"
inline constexpr uint32_t kEventVersion = 3;
inline constexpr char kEvents[] = ".events";  // in place of the spool's own ending

struct alignas(64) EventFileHeader {
  uint64_t magic;
  uint32_t version, header_bytes;  // header_bytes: where entries begin
  uint64_t limit;                  // bytes this file may grow to
  uint64_t used, grown;            // bytes handed out / backed by the file
  uint64_t lost;                   // events for which there was no room; changed by single instructions
  uint32_t names;                  // of kName, handed out
  uint32_t tick_shift;             // the trace is to have ticks of 1 << tick_shift ns
  uint32_t full;                   // 1: events were lost, and no more are taken, lest there be gaps nobody sees
  // Messages without an event, in one of which the other end may have one; and those with ranks of another program,
  // which has none either.
  uint32_t missed_messages, foreign_messages;
  uint64_t node;  // equal in all processes that have this one's CLOCK_MONOTONIC
  ClockMeasurement clocks[kClockMoments];
};

enum class EntryKind : uint32_t { kNone, kEvents, kName, kRegion, kFilter, kThreadName };

enum class RawKind : uint8_t {
  kCall,
  kRead,
  kWrite,
  kEnter,
  kLeave,
  kLibrary,     // a call of a library
  kLibraryEnd,  // the same, of which the trace has the begin already
  kCounter,
  kTracing,  // what the trace did for itself: `function` is a TracingStep
  kThreadBegin,
  kThreadEnd,
  kWait,  // `function` is a WaitFn (waits.h)
  // At `start`. `handle`: the communicator's EventName, its identity in 16 hexadecimal digits, a space and its name;
  // `asked`: the other rank or the root in MPI_COMM_WORLD.
  kSend = 32,   // `place`: tag, `moved`: bytes
  kReceive,     // the same
  kCollective,  // `moved`: bytes sent, `place`: bytes received
};

/// What tracing takes time for, in threads of the program.
enum class TracingStep : uint16_t {
  kFlush,
  kOpen,
  kWrite,
  kCommit,
  kCheck,
  kBarrier,
  kStopped,
  kClocks,
  kEnded,
  kCount
};

/// What a name of kRegion is of. Each has numbers of its own.
enum class RegionKind : uint32_t {
  kPhase,
  kRegion,
  kCounter,
  kFunction,  // named "ADDRESS BUILD_ID FILE": hexadecimal, as the file itself has it; "-": it has none
  kPython     // a function
};
inline constexpr uint32_t kRegionKinds = 5;

/// One thing that a thread did. Times are ticks of the process's clock; a begin and its end are one.
struct RawEvent {
  uint64_t start, end;
  uint64_t place;     // offset, or model::kUnknownPlace
  uint64_t asked;     // bytes; of kCall, which asks for none, the EventName of its second path, or 0
  uint64_t moved;     // bytes; of kCounter the bits of its value
  uint32_t handle;    // EventName, of kEnter, kLeave and kCounter one of kRegion; 0: not known
  uint16_t function;  // number in functions.def; of kLibrary with kLibraryFunction; of kEnter, kLeave, kCounter: 0
  RawKind kind;
  uint8_t error;  // errno; 0: none, kUnknownError: not known
};
inline constexpr uint8_t kUnknownError = 255;

struct alignas(64) EventBlock {
  EntryKind kind;
  uint32_t bytes;   // of all of it
  uint32_t thread;  // 1, 2, … of the threads that the process had; 0: nobody's, as what an ended one had left
  uint32_t capacity;
  uint64_t count;  // of the PackedEvents that follow
  uint64_t next;   // for the recorder: the next one that is nobody's
  uint64_t base;   // their times count from here, ticks
};

struct PackedEvent {
  uint64_t words[4];
};

/// A name, whose text follows without NUL.
struct alignas(64) EventName {
  EntryKind kind;
  uint32_t bytes;
  uint32_t number;  // 1, 2, …
  uint32_t length;
  RegionKind region;  // of kRegion
};

static_assert(sizeof(PackedEvent) == 32 && sizeof(EventBlock) == 64 && sizeof(EventName) == 64);

inline PackedEvent* events_of(EventBlock* block) { return reinterpret_cast<PackedEvent*>(block + 1); }

}  // namespace headrace::capture
