#include "programs/headrace/nodes.h"

#include <stdlib.h>

#include <utility>

#include "capture/harvest/topology.h"
#include "programs/headrace/messages.h"

namespace headrace::programs {

void describe_nodes(const std::string& setting, capture::JobLog& log) {
  const char* variable = getenv("HEADRACE_TOPOLOGY");
  const std::string path = setting.empty() && variable != nullptr ? variable : setting;
  if (path.empty()) return;
  auto topology = capture::Topology::read(path);
  if (topology.ok())
    log.describe_nodes(std::move(*topology));
  else
    say(topology.message() + "; the log will not say which I/O nodes serve its nodes");
}

}  // namespace headrace::programs
