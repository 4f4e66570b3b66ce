// Reads the phases of a spool (capture/phase_layout.h). Like all that reads spools it trusts nothing.
#pragma once
#include <vector>

#include "capture/harvest/clock_map.h"
#include "capture/harvest/damage.h"
#include "capture/harvest/spool_bytes.h"
#include "capture/phase_layout.h"
#include "model/phase.h"

namespace headrace::capture {

struct Phases {
  std::vector<model::Phase> finished;  // of each phase a row of all instances, then those that were kept whole
  std::vector<model::Phase> open;      // instances that were open when the process ended
};

/// `end_ticks`: of the process's last known moment.
Phases read_phases(SpoolBytes& bytes, const Header& header, const ClockMap& clock, uint64_t end_ticks,
                   DamageList& damage);

/// Adds instances that were still open when the process ended, or of a running one when it was looked at: "left open"
/// is an end like another.
void close_open(Phases& phases, uint64_t end_at_ns);

/// Takes those out of `whole` that `before`, an earlier state of the same spool, has: an earlier log tells of them.
void subtract_phases(std::vector<model::Phase>& whole, const std::vector<model::Phase>& before);

}  // namespace headrace::capture
