#pragma once
// Finds chunks by their headers where no index tells of them. Internal to format.

#include <cstdint>

#include "base/result.h"
#include "format/contents.h"
#include "format/source.h"

namespace headrace::format {

/// Adds the chunks and the damage of [begin, end) to `contents`. Goes from header to header; where one is bad, or
/// something else follows a chunk whose payload fails its checksum, looks for the next header that holds.
/// Work is linear in the size of the region, whatever it holds. kLimit: more than `max_chunks` in all. kIo.
/// `gaps`: what was never written is no damage.
base::Status scan(Source& source, uint64_t begin, uint64_t end, uint64_t max_chunks, Contents& contents,
                  bool gaps = false);

}  // namespace headrace::format
