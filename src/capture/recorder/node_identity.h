// Which clock a process has.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// Equal in all processes that have the same CLOCK_MONOTONIC: of one host, since one boot, and in one time namespace;
/// never 0. Makes system calls, allocates nothing.
uint64_t node_identity();

}  // namespace headrace::capture
