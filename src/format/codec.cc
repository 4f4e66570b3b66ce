#include "format/codec.h"

#include <zstd.h>

#include <cstring>
#include <string>

namespace headrace::format {

using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

Result<Codec> append_compressed(Bytes payload, std::vector<uint8_t>& to) {
  constexpr int kLevel = 1;  // higher levels cost several times more for a few percent on counters and events
  const size_t begin = to.size();
  to.resize(begin + ZSTD_compressBound(payload.size()));
  const size_t size = ZSTD_compress(to.data() + begin, to.size() - begin, payload.data(), payload.size(), kLevel);
  if (!ZSTD_isError(size) && size < payload.size()) {
    to.resize(begin + size);
    return Codec::kZstd;
  }
  to.resize(begin + payload.size());
  if (!payload.empty()) std::memcpy(to.data() + begin, payload.data(), payload.size());
  return Codec::kRaw;
}

Status decompress(Codec codec, Bytes stored, std::span<uint8_t> raw) {
  switch (codec) {
    case Codec::kRaw:
      if (stored.size() != raw.size()) return Status(Code::kCorrupt, "payload is not as long as its header says");
      if (!raw.empty()) std::memcpy(raw.data(), stored.data(), raw.size());
      return {};
    case Codec::kZstd: {
      const size_t size = ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size());
      if (ZSTD_isError(size) || size != raw.size()) return Status(Code::kCorrupt, "payload does not decompress");
      return {};
    }
  }
  return Status(Code::kUnsupported, "codec " + std::to_string(static_cast<int>(codec)) +
                                        " is newer than this reader: update headrace to read it");
}

}  // namespace headrace::format
