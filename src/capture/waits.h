// What libheadrace-sync.so, which sees threads wait for each other, asks of the recorder in libheadrace.so.
#pragma once
#include <cstddef>
#include <cstdint>

namespace headrace::capture {

enum class WaitFn : uint16_t {
#define WAIT(name) k_##name,
#include "capture/wait_functions.def"
#undef WAIT
  kCount
};

inline constexpr const char* kWaitNames[] = {
#define WAIT(name) #name,
#include "capture/wait_functions.def"
#undef WAIT
};
static_assert(sizeof kWaitNames / sizeof *kWaitNames == static_cast<size_t>(WaitFn::kCount));

/// Functions of the recorder. All can be called by any thread at any moment, also in a forked child, in signal handlers
/// and with any lock of the program held; they leave errno as it is and allocate nothing from the program.
struct WaitCalls {
  uint64_t (*now)();
  /// The thread was in `function` from `start` to now. `perhaps`: that it waited is told by the time alone.
  void (*waited)(WaitFn function, uint64_t start, bool perhaps);
};

}  // namespace headrace::capture

/// Null where no events are recorded, now or later.
extern "C" const headrace::capture::WaitCalls* headrace_wait_recorder();
