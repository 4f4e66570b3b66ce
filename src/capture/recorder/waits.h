// Waits of threads for each other, as events (waits.h of src/capture).
#pragma once
#include "capture/waits.h"

namespace headrace::capture {

/// What takes less in a function of which nobody can tell whether it waited is no wait.
inline constexpr uint64_t kNoWaitNs = 500;

const WaitCalls* wait_calls();

}  // namespace headrace::capture
