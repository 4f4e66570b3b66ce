// Getting the job's secret from a server that was started with --munge, which shows each side that the other one is a
// process of the same user.
#pragma once
#include <string>

#include "base/result.h"
#include "forward/protocol/secret.h"
#include "forward/transport/munge.h"

namespace headrace::forward {

base::Result<Secret> ask_secret(const std::string& address, const Munge& munge, int connect_ms = 10'000);

}  // namespace headrace::forward
