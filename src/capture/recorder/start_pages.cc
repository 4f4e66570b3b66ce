#include "capture/recorder/start_pages.h"

#include <cstddef>

#include "base/kernel.h"
#include "base/start_code.h"

// Defined by the linker, for this library.
extern "C" __attribute__((visibility("hidden"))) char __bss_start;

namespace headrace::capture {

HEADRACE_AT_START void take_start_pages() {
  constexpr size_t kBytes = 24 << 10;  // .bss as it is: tests/programs/test_library.py
  base::populate(&__bss_start, kBytes);
}

}  // namespace headrace::capture
