#pragma once
// What scanning and index reading find in a file. Internal to format.

#include <cstdint>
#include <vector>

#include "format/reader.h"

namespace headrace::format {

struct Contents {
  std::vector<ChunkInfo> chunks;  // data chunks: no indexes, tails and rooms
  std::vector<Damage> damage;
  bool newer_format = false;  // a header layout of a later version was met
};

inline bool is_bookkeeping(uint32_t kind) { return kind == kIndexKind || kind == kTailKind || kind == kRoomKind; }

inline uint64_t chunk_size(const ChunkHeader& header) { return kHeaderSize + uint64_t{header.stored_length}; }

}  // namespace headrace::format
