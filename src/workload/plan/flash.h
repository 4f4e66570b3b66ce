// The output of FLASH, an adaptive mesh code, as its user's guide describes it in the chapter on I/O: checkpoints and
// plot files of blocks of cells, an array for each variable. Each rank has as many blocks as any other and writes its
// part of every array. A study of it on Jaguar with Vampir (a research poster of ISC'09) compares ways to write them.
#pragma once
#include <memory>
#include <vector>

#include "workload/plan/pattern.h"

namespace headrace::workload {

struct FlashSettings {
  uint64_t blocks = 80;                     // of a rank
  std::vector<uint64_t> cells = {8, 8, 8};  // of a block, by dimension: z, y, x
  uint64_t guard = 4;                       // cells around a block in memory
  uint64_t variables = 24, plot_variables = 4;
  uint64_t checkpoints = 1, plots = 1;  // files (or sets of split ones)
  bool corners = false;                 // plot files have values of corners of cells, not of centres
  int split = 1;                        // into so many files, each of neighbouring ranks
  bool write = true, read = true;       // read: the last checkpoint, as a restart does
  int ranks = 1;
};

/// Phases: "checkpoint", "plotfile", "restart". kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_flash(const FlashSettings& settings);

}  // namespace headrace::workload
