// A file of the command line that all ranks must have the same of.
#pragma once
#include "base/result.h"
#include "programs/bench/options.h"
#include "workload/ranks/ranks.h"

namespace headrace::programs {

/// Gives the ranks what rank 0 finds in `settings.text_file`; nothing where none is named. Collective. kInvalid on rank
/// 0: it cannot be read, is empty or too long.
base::Status share_text(const BenchSettings& settings, workload::Ranks& ranks);

}  // namespace headrace::programs
