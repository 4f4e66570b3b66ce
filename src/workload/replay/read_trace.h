// Reads a recorded job from its event trace (docs/formats/trace.md). Every byte is taken for hostile.
#pragma once
#include <string>

#include "base/result.h"
#include "workload/replay/recording.h"

namespace headrace::workload::replay {

/// Fails as events::TraceReader::open() does. kNoSpace: its calls do not fit into `memory` bytes.
base::Result<Recording> read_trace(const std::string& path, uint64_t memory);

}  // namespace headrace::workload::replay
