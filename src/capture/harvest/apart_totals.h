// What the calls of a process that are in no file (capture/apart_calls.h) are in its totals: rows of files without a
// name, by layer and by what they were on, figures of functions, and how many there were and why.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "capture/harvest/clock_map.h"
#include "capture/harvest/spool_reader.h"
#include "capture/spool_layout.h"

namespace headrace::capture {

class ApartTotals {
 public:
  void add(const Header& header);
  void add(const ThreadBlock& block);
  /// Adds what profiles do not have yet. `functions`: kMaximumFunctions; `libraries` grows as needed. In ticks.
  void add_to_profiles(Profile* functions, std::vector<Profile>* libraries) const;
  /// Its operations in the process, its gaps and its records.
  void give(const ClockMap& clock, SpoolContents* out, RecordSink& sink);

 private:
  struct Amount {
    uint64_t calls, bytes;
  };
  void add_row(const ApartCalls& row, const ApartKey& key, model::Layer layer);
  void add_rest(const ApartCalls& row, uint32_t number);
  model::FileRecord& record_of(model::FileKind kind, model::Layer layer);

  std::vector<ApartCalls> rows_;
  std::map<std::pair<model::FileKind, model::Layer>, model::FileRecord> records_;
  Amount amounts_[static_cast<uint32_t>(Apart::kReasons)]{};
  uint64_t untold_ = 0;  // calls whose function is not known
};

}  // namespace headrace::capture
