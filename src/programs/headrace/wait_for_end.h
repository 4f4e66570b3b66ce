// Waits for the end of processes that need not be children.
#pragma once
#include <cstdint>
#include <vector>

namespace headrace::programs {

/// Waits until one of the processes has ended, or so many milliseconds have passed; true if one has. One that nobody
/// reaps has ended. Where some cannot be watched, because there are too many, descriptors are short or the kernel lacks
/// pidfd_open (before Linux 5.3), no longer than `unwatched_milliseconds`: the caller looks at them.
bool wait_for_end(const std::vector<uint32_t>& processes, int milliseconds, int unwatched_milliseconds);

}  // namespace headrace::programs
