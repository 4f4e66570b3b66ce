// Turns looks at counters into rows: what grew since the look before, and where that cannot be said, a gap and why
// (docs/formats/sample-store.md, "sample_gaps").
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/devices/counters.h"
#include "collect/devices/earlier_run.h"
#include "collect/devices/sample_rows.h"

namespace headrace::collect {

/// One thread at a time. Clocks come with the looks.
class Tracker {
 public:
  /// The first look is compared with nothing; `earlier` gives it the gap since then.
  Tracker(int64_t interval_us, std::string boot, std::optional<EarlierRun> earlier)
      : interval_us_(interval_us), boot_(std::move(boot)), earlier_(std::move(earlier)) {}

  /// The rows of one look, numbered tick(), with views of its names: they hold until either changes. Nothing counts as
  /// seen until commit(): if they cannot be stored, the next look has them, in longer samples and with a gap "lost".
  const Rows& compare(const Look& look);
  void commit();

  /// There was no look, or its rows could not be stored.
  void lose() { lost_ = true; }

  uint64_t tick() const { return tick_; }

 private:
  struct Known {
    Kind kind;
    std::string device;
    Counters last{}, next{};
    int64_t end_us = 0, end_boot_us = 0;  // of its last sample
    uint64_t seen = 0;                    // last look that had it
    bool committed = false;               // one that was committed had it
    bool gone = false;                    // one that was committed was without it
    bool was_there = false;               // before a look had it
  };
  struct KnownJob {
    std::array<int64_t, 5> last{}, next{};
    int64_t end_boot_us = 0;
    uint64_t seen = 0;
    bool committed = false;
  };

  void compare_clocks();
  void compare_device(const Reading& reading);
  bool begins(Known& fresh, const Reading& reading);
  void add_sample(const Reading& reading, int64_t start_us, const Counters& grown);
  void add_gap(const std::string& device, int64_t start_us, int64_t end_us, const char* reason);
  void find_gone();
  void compare_jobs(const Look& look);
  void compare_job(const JobReading& now, const KnownJob& known);
  bool began_since(const JobReading& fresh) const;
  Known& find(const Reading& reading);
  /// Of what a look last had: whether it is not there any more. Of looks that are not whole many must be without it.
  bool is_gone(uint64_t seen) const { return seen + (whole_ ? 0 : kPatience) < tick_; }
  /// One that is back so soon is taken for the same: a look may have missed it.
  bool is_forgotten(uint64_t seen) const { return is_gone(seen) && seen + kMemory < tick_; }
  /// A moment of the other clock, as the clock of the day is now.
  int64_t real_of(int64_t boot_us) const { return now_.real_us - (now_.boot_us - boot_us); }

  static constexpr uint64_t kPatience = 3600, kMemory = 3;  // looks
  const int64_t interval_us_;
  const std::string boot_;
  std::optional<EarlierRun> earlier_;
  Rows rows_;
  std::vector<Known> known_;                        // as far as possible in the order of the looks
  size_t next_ = 0;                                 // where the next of a look is then
  std::unordered_map<std::string, KnownJob> jobs_;  // by target and job
  Moment now_, before_;
  uint64_t tick_ = 0;
  bool has_before_ = false, before_whole_ = true, lost_ = false, stepped_ = false, whole_ = true;
};

}  // namespace headrace::collect
