// What the threads of a process counted besides its events (trace_accounts.h).
#pragma once
#include <span>
#include <vector>

#include "events/trace_writer.h"

namespace headrace::capture {

/// Rows of a trace's table `accounts`, of what is not 0. `spool`: of `process`, an id; nothing in it is trusted.
std::vector<events::Account> thread_accounts(std::span<const std::byte> spool, uint64_t process);

}  // namespace headrace::capture
