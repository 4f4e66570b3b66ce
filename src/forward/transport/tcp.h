// Connections between nodes; who is there has to prove that it knows the job's secret.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "forward/transport/link.h"

namespace headrace::forward {

/// `place`: "HOST:PORT" with a numeric host; port 0 takes a free one.
base::Result<std::unique_ptr<Listener>> listen_tcp(const std::string& place);
base::Result<std::unique_ptr<Link>> connect_tcp(const std::string& place, int patience_ms);

}  // namespace headrace::forward
