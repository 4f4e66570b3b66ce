// Much metadata and little data: each rank makes a file of groups with small datasets in chunks, each with further hard
// links, closes it, opens it again and visits every dataset. What the evaluation of HDF5's cache image (HDF Group,
// 2015) asks for in its discussion and did not have.
#pragma once
#include <memory>

#include "workload/plan/pattern.h"

namespace headrace::workload {

struct LinksSettings {
  uint64_t groups = 20;
  uint64_t datasets = 100;  // of a group
  uint64_t links = 3;       // further ones of a dataset
  uint64_t size = 256;      // bytes of a dataset
  uint64_t chunk = 64;      // bytes
  int ranks = 1;
};

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_links(const LinksSettings& settings);

}  // namespace headrace::workload
