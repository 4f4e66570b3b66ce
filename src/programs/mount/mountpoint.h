// Where a mount may be made.
#pragma once
#include <string>

#include "base/result.h"
#include "forward/client/client.h"

namespace headrace::programs {

/// The path without links and dots of an empty directory that is no mount of this kind yet. kInvalid: why it cannot be
/// mounted on, and what to do.
base::Result<std::string> find_mountpoint(const std::string& path);

/// kInvalid: the servers serve the mountpoint itself, so that it would show itself.
base::Status check_not_served(forward::Client& servers, const std::string& mountpoint);

}  // namespace headrace::programs
