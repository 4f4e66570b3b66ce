#pragma once
// Any number of ranks in one thread: what runs over MPI can be tried at sizes that no machine at hand has. Each rank
// runs on a stack of its own until it waits for a message; then another one goes on. The order is always the same.
//
// One thread at a time.

#include <cstddef>
#include <functional>

#include "base/communicator.h"

namespace headrace::base {

struct SimulationOptions {
  size_t stack_bytes = 256 << 10;  // of each rank; only what is used takes memory
};

/// What the ranks told each other.
struct Simulation {
  uint64_t messages = 0, bytes = 0;
  uint64_t most_received = 0;  // bytes that one rank got in all
};

/// Runs `program` once as each of `size` ranks. A rank that waits for a message when no other can go on gets kIo.
Simulation simulate_ranks(int size, const std::function<void(Communicator&)>& program, SimulationOptions options = {});

}  // namespace headrace::base
