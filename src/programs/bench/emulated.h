// What `--emulate` had to do in this run.
#pragma once
#include <string>

#include "workload/ranks/ranks.h"

namespace headrace::programs {

/// Looks at the state that the ranks of this node share, and removes its file once all of them have it, so that none is
/// left however the run ends. Collective. Without --emulate nothing happens.
class Emulated {
 public:
  explicit Emulated(workload::Ranks& ranks);
  /// {"creates": 12, …} by this node's ranks so far; "" when nothing is emulated.
  std::string counts() const;

 private:
  const void* state_ = nullptr;
};

}  // namespace headrace::programs
