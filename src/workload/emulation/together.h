// Several processes that do the same at the same time, timed.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"

namespace headrace::workload::emulation {

struct Together {
  double seconds;               // from the first one's beginning to the last one's end
  std::vector<int64_t> counts;  // what each gave
  double count() const;         // of all
};

/// Starts `count` processes, lets all of them call work(0), work(1), … at once, and waits for their ends. `work` gives
/// how much it did, or less than 0, with errno: kIo then, or when one was killed. To be called where there is one
/// thread; the processes end with this one.
base::Result<Together> together(int count, const std::function<int64_t(int)>& work);

}  // namespace headrace::workload::emulation
