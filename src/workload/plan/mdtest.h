// The pattern of mdtest (https://ior.readthedocs.io, "mdtest"): ranks make, look at, read and remove many directories
// and files in a tree of directories.
#pragma once
#include <memory>
#include <optional>

#include "workload/plan/pattern.h"

namespace headrace::workload {

struct MdtestSettings {
  uint64_t files = 1000;                     // of each rank, evenly spread over the tree
  std::optional<uint64_t> directories = {};  // the same; not given: as many
  uint64_t per_directory = 0;                // in place of both: of each rank in each directory of the tree
  uint64_t depth = 0, branch = 1;  // of the tree: levels below its root, and directories in each above the last
  bool unique = false;             // each rank has a tree of its own
  uint64_t bytes = 0;              // of each file
  int shift = 0;                   // rank r looks at and reads what rank r + this made
  int ranks = 1;
};

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_mdtest(const MdtestSettings& settings);

}  // namespace headrace::workload
