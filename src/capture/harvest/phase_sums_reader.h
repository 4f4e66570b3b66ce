// Sums by function and by size out of a spool: those that a phase keeps, and those of the process as a whole. Trusts
// nothing that it reads. One thread at a time.
#pragma once
#include <map>
#include <set>
#include <utility>

#include "capture/harvest/damage.h"
#include "capture/harvest/spool_bytes.h"
#include "capture/phase_layout.h"

namespace headrace::capture {

/// Sums of one instance of a phase, of many, or of a process. Times are ticks.
struct PhaseSums {
  std::map<uint16_t, FunctionSum> functions;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> sizes;  // by layer · 2 + direction, bin

  /// Takes `part` away; nothing goes below 0.
  void subtract(const PhaseSums& part);
};

class PhaseSumsReader {
 public:
  PhaseSumsReader(SpoolBytes& bytes, const Header& header, DamageList& damage)
      : bytes_(bytes), header_(header), damage_(damage) {}

  /// What chains of blocks hold; a chain that cannot be read is damage, up to where it breaks.
  PhaseSums read(uint32_t functions, uint32_t sizes);
  /// What the process had counted when a phase was opened.
  PhaseSums at_begin(const OpenPhase& open);

  /// Sums of all threads, as begin and end of a phase see them. The blocks are claimed by readers of their own.
  PhaseSums of_process() const;
  /// The sizes alone.
  PhaseSums sizes_of_process() const;
  /// Each thread's block once: the chain may be a ring.
  std::set<uint32_t> threads() const;

 private:
  void add_sizes(uint32_t offset, uint32_t place, PhaseSums* to) const;
  void add_profile(uint32_t offset, uint16_t function, PhaseSums* to) const;
  void add_profiles(const ThreadBlock& block, PhaseSums* to) const;

  SpoolBytes& bytes_;
  const Header& header_;
  DamageList& damage_;
};

}  // namespace headrace::capture
