// What a spool keeps of the program's phases. As in spool_layout.h everything is an offset, 0 means "none", and times
// are ticks of the process's clock.
//
//   Header ─ first_phase ─► Phase ─ next ─► …
//          │                  ├ functions ─► FunctionSums ─ next ─► …     of all finished instances together
//          │                  ├ sizes ─► SizeSums ─ next ─► …
//          │                  └ first_instance ─► PhaseInstance ─ next ─► …   those that are kept whole
//          └ open_phases[] ─► OpenPhase: what the process had counted when it began
//
// Nothing is counted apart while a phase is open, but its series: its figures are what the process's own counters
// gained between its begin and its end. So calls cost the same inside phases as outside, and a process that is killed
// leaves the figures of the phases that were open.
#pragma once
#include "capture/spool_layout.h"

namespace headrace::capture {

inline constexpr uint32_t kPhaseBins = 64;    // of a series: the last half is in use at the end of a long instance
inline constexpr uint32_t kFineSizes = 304;   // bins of sizes (size_bins.h)
inline constexpr uint32_t kPhaseName = 255;   // bytes of a phase's own name that are kept
inline constexpr uint32_t kPhasePath = 1024;  // and of its path

/// Sizes of the reads or writes of one thread in one layer.
struct alignas(64) FineSizes {
  uint64_t count[kFineSizes];
};

struct FunctionSum {
  uint64_t calls, errors, bytes, time, inside;
  uint16_t function;  // as in Profile, and so the direction
  uint8_t direction;
  uint8_t listed;  // of the recorder's own sums: `used` names it
  uint8_t unused[4];
};

struct alignas(64) FunctionSums {
  static constexpr uint32_t kRows = 10;
  uint32_t next, rows;
  uint64_t unused;
  FunctionSum of[kRows];
};

struct SizeSum {
  uint64_t count;
  uint16_t bin;
  uint8_t layer, direction;
  uint32_t unused;
};

struct alignas(64) SizeSums {
  static constexpr uint32_t kRows = 15;
  uint32_t next, rows;
  uint64_t unused;
  SizeSum of[kRows];
};

/// Bytes over time since `start`, in bins of 2^shift ticks that double in width when time runs past the last one.
struct alignas(64) PhaseSeries {
  uint64_t epoch;  // of a thread's: which stretch between two phase boundaries it belongs to
  uint64_t start;
  uint32_t shift, unused;
  uint64_t bytes[kPhaseBins][kFlows];
};

enum class PhaseEnd : uint32_t { kEnd = 0, kOuter = 1, kThread = 2 };  // ended by an outer phase's end, or its thread's

/// One instance, kept whole.
struct alignas(64) PhaseInstance {
  uint32_t next, functions, sizes, series;
  uint64_t number, begin, end;
  PhaseEnd ended;
};

/// A phase by its path, such as "step/dump".
struct alignas(64) Phase {
  uint64_t hash;
  uint32_t next, name;                  // Name: the path
  uint64_t begun;                       // instances, the open one included
  uint64_t finished, cut;               // of them, ended by anything but their own end
  uint64_t time, least, most, slowest;  // ticks; the number of the slowest instance
  double mean, deviations;              // of the time of an instance, and the sum of squared differences to it
  uint64_t first_begin, last_end;
  uint32_t functions, sizes, first_instance, kept;
  uint32_t every;             // 2^every: which instances are kept besides the slowest
  uint32_t latest_functions;  // FunctionSums of the instance that ended last, kept whole or not; not read from a spool
  uint32_t slow[4];           // PhaseInstance: the slowest ones
  uint64_t latest;            // number of the instance that ended last; 0: none, or there was no memory
};

struct alignas(64) OpenPhase {
  uint32_t phase, thread;  // ThreadBlock::id
  uint64_t name_hash;      // of the phase's own name
  uint64_t number, begin;
  uint32_t functions;                // FunctionSums: what the process had counted when it began
  uint32_t sizes[kSystemLayers][2];  // FineSizes, likewise
  uint32_t chosen;                   // 1: events are recorded while it is open
  PhaseSeries series;                // of all threads, up to the latest boundary of a phase
};

}  // namespace headrace::capture
