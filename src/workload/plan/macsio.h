// The pattern of MACSio in its Multiple Independent File mode (https://github.com/LLNL/MACSio, "macsio_mif"), as paper
// "Evaluating the Page Buffering and Cache Image Features" (HDF Group, 2015) runs it.
//
// Ranks are in as many groups as there are files. A group's ranks write its file one after the other: each opens it,
// writes its parts of a mesh, closes it and lets the next one know. A part is a group "domain_0000000" of the file,
// each of its variables a dataset. Reading goes the same way.
//
// Where there are 3.5 parts for a rank on average, half of the ranks have 3 and half have 4; which ones follows from
// the seed.
#pragma once
#include <memory>

#include "workload/plan/pattern.h"

namespace headrace::workload {

struct MacsioSettings {
  uint64_t files = 1;       // at most one for each rank
  uint64_t part = 4096;     // bytes of a variable of a part
  double parts = 1;         // of a rank, on average
  uint64_t variables = 20;  // of a part
  uint64_t chunk = 0;       // bytes; 0 = contiguous
  bool write = true, read = true;
  int ranks = 1;
  uint64_t seed = 0;
};

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_macsio(const MacsioSettings& settings);

}  // namespace headrace::workload
