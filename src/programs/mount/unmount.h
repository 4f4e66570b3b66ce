#pragma once
#include <string>

namespace headrace::programs {

/// Stores all, unmounts, and waits until the process behind the mount has ended. The exit status of the command: 1 when
/// data is lost or it cannot be unmounted, which is said on stderr.
int unmount(const std::string& directory);

}  // namespace headrace::programs
