// Instances of phases that are kept whole: every n-th, and the slowest ones. All with the lock held.
//
// n is a power of two, 1 to begin with, and doubles for the phase with the most instances when those of all phases fill
// their share of the memory; so ranks that do the same keep the same ones.
#pragma once
#include "capture/phase_layout.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {

struct EndedPhase {
  uint64_t number, begin, end;
  PhaseEnd ended;
};

/// Keeps an instance with the sums that were read (phase_sums.h) and the series of `open`, if it is one to keep.
void keep_instance(Phase& phase, const EndedPhase& instance, const OpenPhase& open);

/// Forgets how much memory they take (a new spool).
void reset_instances();

}  // namespace headrace::capture
