// What forwarding servers say of themselves, as numbers.
#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "forward/client/wire.h"

namespace headrace::programs {

/// Values of OpenMetrics lines by name and label.
using Figures = std::map<std::string, double>;
Figures figures_of(const std::string& open_metrics);

/// The text of one server, over a connection for this question alone: the next one is as quick to see who is gone.
base::Result<std::string> ask_server(const std::string& address, const forward::WireOptions& options);

/// What one server, or all together, did.
struct ServerTotals {
  uint64_t calls = 0, failed_calls = 0, not_found = 0, bytes_read = 0, bytes_written = 0, lost_bytes = 0;
  void add(const ServerTotals& other);
};
ServerTotals totals_of(const Figures& figures);

/// Of a server of this user; `secret_file`: "" for one of this node.
base::Result<ServerTotals> ask_totals(const std::string& address, const std::string& secret_file);

}  // namespace headrace::programs
