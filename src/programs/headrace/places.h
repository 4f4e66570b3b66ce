// Files and names that the commands agree on.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Directory of this executable, links resolved as far as /proc/self/exe does; "" when it cannot be told.
std::string own_directory();
/// The capture library: $HEADRACE_LIBRARY, or ../lib/headrace/libheadrace.so beside this executable.
std::string library_path();
/// headrace-NAME-DATE-TIME-PID.hr in the working directory, as an absolute path where that has a name.
std::string default_log_path(const std::string& name);
/// headrace-NAME-IDENTITY.hr: the same for all ranks of a launch.
std::string shared_log_path(const std::string& name, const std::string& identity);
/// `path` from the working directory, so that it means the same file after a change of directory.
std::string absolute_path(const std::string& path);
/// Where job directories may be, the best first: `preferred` unless "", /dev/shm, $TMPDIR, /tmp, /var/tmp.
std::vector<std::string> spool_places(const std::string& preferred);
/// Directories for a log that cannot be written where it should be.
std::vector<std::string> fallback_directories();

}  // namespace headrace::programs
