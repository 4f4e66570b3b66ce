// Waits as a distant file system makes programs wait. Any thread; leaves errno as it is.
#pragma once
#include <cstdint>

namespace headrace::emulate {

/// HEADRACE_EMULATE: nanoseconds before each read and write; 0 = nothing is emulated.
uint64_t delay_ns();
void wait_before_transfer();

}  // namespace headrace::emulate
