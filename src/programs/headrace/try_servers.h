// Whether the servers of `--forward` can be used, found out before a command is started that would fail without them.
#pragma once
#include <string>

#include "base/result.h"
#include "forward/program/spec.h"

namespace headrace::programs {

/// Connects to all of them once, as the command's processes will, and waits a moment for servers that are only just
/// being started. What is wrong, and what to do about it. A launcher's ranks may run where other servers can be reached
/// than from here: with `starts_ranks` a server of another node that nobody here reaches, or a secret that is not here,
/// is only a `warning`.
base::Status try_servers(const forward::program::Setup& setup, bool starts_ranks, std::string* warning);

}  // namespace headrace::programs
