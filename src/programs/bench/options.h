// The command line of `headrace bench`.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/backend/backend.h"
#include "workload/plan/pattern.h"

namespace headrace::programs {

struct BenchSettings {
  std::string pattern;
  std::string api, directory = ".", name, mpi;  // mpi: its library; "" = the launcher's
  std::string emulate;                          // done by who has started this (programs/headrace/bench.cc)
  workload::BackendOptions backend;
  bool check = true, keep = false, json = false, quiet = false;
  bool only_reads = false;          // what an earlier run has left
  bool rates_of_transfers = false;  // write_mbps and read_mbps leave opening and closing out
  uint64_t seed = 1;
  /// The pattern for so many ranks.
  std::function<base::Result<std::unique_ptr<workload::Pattern>>(int)> make;
};

/// kNotFound: help was asked for, and is the message. kInvalid: a mistake, in words.
base::Result<BenchSettings> parse_bench(const std::vector<std::string>& arguments);

// Of one pattern each: the words behind its name.
base::Result<BenchSettings> parse_ior(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_h5perf(const std::vector<std::string>& words);

}  // namespace headrace::programs
