#pragma once
// Payload compression. Each call makes its own zstd context, so any thread may call; nothing is kept between calls.

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/chunk.h"

namespace headrace::format {

/// Appends `payload` to `to`, compressed if that saves bytes, and returns how.
base::Result<Codec> append_compressed(base::Bytes payload, std::vector<uint8_t>& to);

/// Fills `raw`, whose size is the promised length. kCorrupt: not that many bytes, or no zstd frame.
/// kUnsupported: a codec this version does not know. Takes no memory beyond `raw` and a fixed context.
base::Status decompress(Codec codec, base::Bytes stored, std::span<uint8_t> raw);

}  // namespace headrace::format
