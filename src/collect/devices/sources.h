// Everything that one host has to sample: block devices, and targets and mounts of Lustre where there are any.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/devices/counters.h"
#include "collect/devices/device_filter.h"
#include "collect/devices/text_file.h"

namespace headrace::collect {

struct SourceSettings {
  std::string root = "/";                    // where proc and sys are looked for
  std::string diskstats;                     // "": proc/diskstats below the root
  std::vector<std::string> keep, leave_out;  // patterns of block devices
  bool lustre = true;
};

/// One thread at a time.
class Sources {
 public:
  explicit Sources(SourceSettings settings);

  /// One look at everything. What cannot be read is said in `problems`, and the look is then not whole.
  void look(Moment now, Look& look, std::vector<std::string>& problems);

 private:
  struct Target {
    Kind kind;
    std::string device;
    TextFile stats, jobs;
    bool has_jobs, seen;
  };
  void find_targets();
  void find_targets_in(const std::string& directory, Kind kind, const char* stats);
  void look_at(Target& target, Look& look, std::vector<std::string>& problems);

  SourceSettings settings_;
  DeviceFilter filter_;
  TextFile diskstats_;
  std::map<std::string, Target> targets_;  // by path of the directory
  int64_t searched_us_ = 0, decided_us_ = 0;
  bool searched_ = false;
};

}  // namespace headrace::collect
