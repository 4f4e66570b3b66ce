// Connections between processes of one node; the kernel vouches for the peer's user.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "forward/transport/link.h"

namespace headrace::forward {

base::Result<std::unique_ptr<Listener>> listen_unix(const std::string& path);
base::Result<std::unique_ptr<Link>> connect_unix(const std::string& path, int patience_ms);

}  // namespace headrace::forward
