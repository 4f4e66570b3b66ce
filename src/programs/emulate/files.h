// Which descriptors are of files that are to be slow. Any thread, also in signal handlers; leaves errno as it is.
#pragma once

namespace headrace::emulate {

/// Regular files below HEADRACE_EMULATE_DIR; without it all but those of the system (/usr, /lib, /etc, /proc, /sys,
/// /dev, /run).
bool is_slow(int fd);

}  // namespace headrace::emulate
