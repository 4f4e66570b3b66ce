// The start of a job whose ranks all need the same files: an interpreter's scripts, tables, initial conditions.
//
// As the paper on pF3D tells of it (section III, "Startup I/O"): everyone reads them, or one rank reads and broadcasts.
#pragma once
#include <memory>

#include "workload/plan/pattern.h"

namespace headrace::workload {

enum class StartupScheme {
  kEveryone,  // each rank reads each file
  kLeader,    // rank 0 reads, and sends to each other rank
  kTree       // rank 0 reads, and who has something sends it on: a binomial tree
};
const char* name_of(StartupScheme scheme);

struct StartupSettings {
  StartupScheme scheme = StartupScheme::kEveryone;
  uint64_t files = 200;
  uint64_t size = 64 << 10;     // bytes of each
  uint64_t transfer = 1 << 20;  // bytes of one call or message, at most
  int ranks = 1;
};

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_startup(const StartupSettings& settings);

}  // namespace headrace::workload
