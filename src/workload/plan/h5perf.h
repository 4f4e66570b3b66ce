// The pattern of h5perf_serial, as paper "Evaluating the Page Buffering and Cache Image Features" (HDF Group, 2015)
// runs it: an array is written part by part, closed, and read in the same way. Each rank has a file of its own, or its
// part of one.
#pragma once
#include <memory>
#include <vector>

#include "workload/plan/pattern.h"

namespace headrace::workload {

struct H5perfSettings {
  std::vector<uint64_t> size = {100 << 20};  // of the array, in bytes by dimension; one to three
  std::vector<uint64_t> access = {1 << 10};  // of one call; divides the size
  std::vector<uint64_t> chunk = {};          // of the array in the file; empty = contiguous
  bool shared = false;                       // one file: the ranks' arrays one behind the other in the first dimension
  int ranks = 1;
};

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_h5perf(const H5perfSettings& settings);

}  // namespace headrace::workload
