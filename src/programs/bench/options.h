// The command line of `headrace bench`.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/backend/backend.h"
#include "workload/plan/ior.h"

namespace headrace::programs {

extern const char kBenchHelp[];
extern const char kIorHelp[];

struct BenchSettings {
  std::string pattern;
  std::string api = "posix", directory = ".", name, mpi;  // mpi: its library; "" = the launcher's
  workload::BackendOptions backend;
  workload::IorSettings ior;
  bool check = true, keep = false, json = false, quiet = false;
  uint64_t seed = 1;
};

/// kNotFound: help was asked for, and is the message. kInvalid: a mistake, in words.
base::Result<BenchSettings> parse_bench(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
