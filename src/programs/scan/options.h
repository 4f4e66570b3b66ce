// What `headrace scan PATH... -o FILE` was asked for.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/scan/scan.h"

namespace headrace::programs {

struct ScanOptions {
  collect::ScanSettings scan;
  bool resume = false, quiet = false;
  std::string files;     // the Parquet file; "": none
  std::string projects;  // the map; "": none
};

/// kNotFound with the help where it was asked for; kInvalid: a mistake, in words.
base::Result<ScanOptions> parse_scan(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
