// Which file `headrace collect` writes.
#pragma once
#include <map>
#include <string>

#include "programs/headrace/log_place.h"
#include "programs/headrace/options.h"

namespace headrace::programs {

struct Target {
  std::string path;
  bool append = false;  // the job's own log goes on
  std::string move_to;  // its name afterwards; "" = it stays
};

/// The log for a job with these `facts`: the one that `settings` name, the one that its launcher began or was to begin,
/// or a new one called `name`. Says so when the launcher's has become another job's.
Target target_of(const CollectSettings& settings, const std::map<std::string, std::string>& facts, const LogName& name);

}  // namespace headrace::programs
