// Files and names that the commands agree on.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Directory of this executable, links resolved as far as /proc/self/exe does; "" when it cannot be told.
std::string own_directory();
/// Where Headrace is installed: the directory above that.
std::string prefix();
/// The capture library: $HEADRACE_LIBRARY, or ../lib/headrace/libheadrace.so beside this executable.
std::string library_path();
/// Whether the loader takes `path` in LD_PRELOAD, whose items it parts at spaces and colons.
bool can_be_preloaded(const std::string& path);
/// A sentence for a path that it does not take, with what to do.
std::string cannot_preload(const std::string& path);
/// `path` from the working directory, so that it means the same file after a change of directory.
std::string absolute_path(const std::string& path);
/// Where job directories may be, the best first: `preferred` unless "", /dev/shm, $TMPDIR, /tmp, /var/tmp.
std::vector<std::string> spool_places(const std::string& preferred);
/// Directories for a log that cannot be written where it should be.
std::vector<std::string> fallback_directories();

}  // namespace headrace::programs
