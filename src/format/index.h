#pragma once
// The index: a chunk of kind INDX, whose columns are the headers of earlier chunks, and a chunk of kind TAIL behind
// it, from which a reader finds it at the end of a file. Internal to format.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "format/contents.h"
#include "format/source.h"

namespace headrace::format {

inline constexpr size_t kIndexEntries = 65536;  // of one index; a longer file has several
inline constexpr uint32_t kTailPayload = 8;     // bytes: u64 distance from the index's header to the tail's

/// Bytes of both chunks. Entries are stored as distances back from `index_offset`, where the bytes will begin, so
/// that they stay true when whole files are concatenated. `like`: job, producer and sequence of both headers.
base::Result<std::vector<uint8_t>> encode_index(const std::vector<ChunkInfo>& entries, uint64_t index_offset,
                                                const ChunkHeader& like);

struct Index {
  uint64_t offset = 0;             // of its header
  std::vector<ChunkInfo> entries;  // by offset, not overlapping, all before `offset`, limits checked
};

/// The index whose tail ends at `end`; nothing when there is none or it does not hold. kIo.
base::Result<std::optional<Index>> read_index(Source& source, uint64_t end);

}  // namespace headrace::format
