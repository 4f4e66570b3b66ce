// The text of /proc/diskstats (the kernel's Documentation/admin-guide/iostats.rst).
#pragma once
#include <string_view>
#include <vector>

#include "collect/devices/counters.h"
#include "collect/devices/device_filter.h"

namespace headrace::collect {

/// Adds the devices that the filter takes to `look`; a line that is none of a device counts as garbled, and the look is
/// not whole then. The kernel counts sectors of 512 bytes whatever the device has.
void parse_diskstats(std::string_view text, DeviceFilter& filter, Look& look);

}  // namespace headrace::collect
