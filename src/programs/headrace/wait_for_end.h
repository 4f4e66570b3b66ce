// Waits for the end of processes that need not be children.
#pragma once
#include <cstdint>
#include <vector>

namespace headrace::programs {

/// Waits until one of the processes has ended, or so many milliseconds have passed; true if one has. One that nobody
/// reaps has ended.
bool wait_for_end(const std::vector<uint32_t>& processes, int milliseconds);

}  // namespace headrace::programs
