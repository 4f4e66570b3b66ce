// When a host was sampled last.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace headrace::collect {

/// The last sample of an earlier run on this host.
struct EarlierRun {
  std::string boot;
  int64_t end_us = 0;
};

/// The last sample before `now_us` of the finished files that were changed last, whatever the clock was when they were
/// begun. Where all are later, as the clock is wrong, that of the file that was changed last; nothing when there is
/// none that can be read.
std::optional<EarlierRun> last_sample(const std::string& directory, int64_t now_us);

}  // namespace headrace::collect
