// Which I/O node serves each rank: sets of ranks that reach the file system through the same one ("psets" of BlueGene).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::workload {

struct Psets {
  std::vector<std::string> names;  // of I/O nodes, in the order of the text; empty = nothing is known of them
  std::vector<uint32_t> node;      // of each rank
};

/// Of lines "RANK NODE" or "FIRST-LAST NODE"; what is behind a # is a remark, and so are ranks that there are not.
/// kInvalid: which line says something else, or twice the same, or which rank has none.
base::Result<Psets> read_psets(const std::string& text, int ranks);

}  // namespace headrace::workload
