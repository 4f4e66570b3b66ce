// Which of the kernel's clock sources are the processor's counter.
#pragma once
#include <cstring>

namespace headrace::base {

/// `source`: what the kernel says of it, in the file of this name.
inline constexpr char kClockSourceFile[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
inline bool is_counter(const char* source) {
  return strncmp(source, "tsc", 3) == 0 || strncmp(source, "arch_sys_counter", 16) == 0;
}

}  // namespace headrace::base
