#pragma once
// Where everything of a unified trace will lie. Internal to events.

#include <vector>

#include "events/trace_reader.h"

namespace headrace::events {

/// A part of the file: either these bytes, or a chunk of a source as it is.
struct Piece {
  uint64_t offset = 0;
  uint64_t size = 0;
  std::vector<uint8_t> bytes = {};
  const format::Reader* source = nullptr;
  format::ChunkInfo chunk = {};
};

struct UnifyPlan {
  std::vector<Piece> pieces;  // one behind the other
  uint64_t size = 0;          // of all
  uint64_t chunks = 0, events = 0;
};

/// The same for the same sources. kInvalid, kIo, kLimit.
base::Result<UnifyPlan> plan_unified(std::vector<TraceReader>& sources);

}  // namespace headrace::events
