// What the thread blocks of a spool count, summed over the threads: profiles, the bandwidth series, excluded paths,
// and operations that belong to no file.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "capture/harvest/apart_totals.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/damage.h"
#include "capture/harvest/spool_bytes.h"
#include "capture/harvest/spool_reader.h"
#include "capture/spool_layout.h"

namespace headrace::capture {

class ThreadTotals {
 public:
  ThreadTotals(SpoolBytes& bytes, const Header& header, const ClockMap& clock, DamageList& damage);
  void read_all();
  /// Moves the sums to `out` and the roll-up records of excluded paths and vfork children to `sink`.
  void give(SpoolContents* out, RecordSink& sink);

 private:
  struct Bins {
    SeriesBin sums[kSeriesBins];
    uint32_t shift;
  };
  void read(const ThreadBlock& block);
  void add_series(const ThreadBlock& block);
  void read_libraries(const ThreadBlock& block);
  void give_profiles(SpoolContents* out);
  void give_libraries(SpoolContents* out);
  void give_series(SpoolContents* out);
  void give_excluded(SpoolContents* out, RecordSink& sink);

  SpoolBytes& bytes_;
  const Header& header_;
  const ClockMap& clock_;
  DamageList& damage_;
  uint64_t threads_ = 0, uncertain_ = 0;
  std::array<Profile, kMaximumFunctions> profiles_{};
  std::vector<Profile> libraries_;  // by number of the function, up to the last that was called
  std::array<Excluded, kExclusionRules> excluded_{};
  ApartTotals apart_;
  Bins bins_{};
};

}  // namespace headrace::capture
