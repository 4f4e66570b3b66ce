// The pattern of IOR: each rank writes blocks of a file, transfer by transfer, and reads them again.
//
// A file that ranks share holds segments; each has a block of every rank, in their order. With blocks of one transfer
// the ranks take turns (strided). Names and meanings are IOR's (https://ior.readthedocs.io, "Options").
#pragma once
#include <memory>

#include "workload/plan/pattern.h"

namespace headrace::workload {

struct IorSettings {
  uint64_t block = 16 << 20;    // bytes of a rank in a segment; a multiple of the transfer
  uint64_t transfer = 1 << 20;  // bytes of one call
  uint64_t segments = 1;
  bool per_process = false;  // a file for each rank, in place of one for all
  bool random = false;       // transfers of a rank in an order that looks random
  bool sync = false;         // each rank, before it closes what it has written
  int reorder = 0;           // rank r reads what rank r + this wrote
  bool write = true, read = true;
  int ranks = 1;
  uint64_t seed = 0;
};

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_ior(const IorSettings& settings);

}  // namespace headrace::workload
