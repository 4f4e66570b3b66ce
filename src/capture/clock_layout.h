// What a process knows of its node's clock: in its file of events (event_layout.h), and asked of
// libheadrace-finalize.so, which talks to the other nodes.
//
// The clock of a node is CLOCK_MONOTONIC, which is one for all its processes and which nobody sets. Only its offset to
// that of another node is unknown, and is measured when a parallel program begins and when it ends.
#pragma once
#include <cstdint>

#include "capture/mpi_access.h"

namespace headrace::capture {

/// The node's clock, as it is and as this process counts it.
struct ClockReading {
  uint64_t clock_ns, ticks;  // read one right after the other
};

/// The node's clock, and how far that of rank 0's node was ahead of it.
struct ClockMeasurement {
  ClockReading at;     // when that held; 0: nothing was measured
  uint64_t utc_ns;     // the calendar clock then
  uint64_t asleep_ns;  // how long the machine had been suspended since it was booted
  int64_t offset_ns;   // what to add to this node's clock
  uint64_t error_ns;   // at most so much is it wrong: half of the shortest round trip
  uint64_t reference;  // id of rank 0's process
};

enum ClockWhen : uint32_t { kClockAtStart, kClockAtEnd, kClockMoments };

struct ClockRequest {
  uint32_t version;  // kFinalizeVersion
  MpiAccess mpi;
  uint64_t node;           // equal in all processes that have this clock
  const char* spool_path;  // of this process
  ClockReading (*clock)();
};

/// int headrace_measure_clocks(const ClockRequest*, ClockMeasurement*). All ranks call it. 0: done; the rank that
/// measured for its node, and rank 0, got when, offset, error and reference, other ranks and programs on one node
/// nothing. Otherwise the ranks have lost each other.
inline constexpr char kClockFunction[] = "headrace_measure_clocks";
using ClockFunction = int (*)(const ClockRequest*, ClockMeasurement*);

}  // namespace headrace::capture
