#include "format/codec.h"

#include <zstd.h>

#include <cstring>
#include <string>

namespace headrace::format {

using base::Bytes;
using base::Code;
using base::Status;

void Compressor::Free::operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
void Decompressor::Free::operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }

void Compressor::set(Repeats repeats) const {
  constexpr int kLevel = 1;  // higher levels cost several times more for a few percent on counters and events
  constexpr int kNoiseLevel = -50, kPlanesLevel = 5, kOfItself = 0, kAlways = 1;
  const bool noise = repeats == Repeats::kHardly, planes = repeats == Repeats::kInPlanes;
  // Negative levels store literals as they are unless told otherwise ("literal compression mode" of zstd.h). A library
  // that does not know the parameter refuses it, and goes on.
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_experimentalParam5, noise ? kAlways : kOfItself);
  // Without it only the highest levels end a block where its bytes become others ("use block splitter").
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_experimentalParam13, planes ? kAlways : kOfItself);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, noise ? kNoiseLevel : planes ? kPlanesLevel : kLevel);
}

Codec Compressor::append(Bytes payload, std::vector<uint8_t>& to, Repeats repeats) {
  if (context_ == nullptr) context_.reset(ZSTD_createCCtx());
  const size_t begin = to.size();
  if (context_ != nullptr && !payload.empty()) {  // without memory for a context the payload is stored as it is
    to.resize(begin + ZSTD_compressBound(payload.size()));
    set(repeats);
    const size_t size =
        ZSTD_compress2(context_.get(), to.data() + begin, to.size() - begin, payload.data(), payload.size());
    if (!ZSTD_isError(size) && size < payload.size() - payload.size() / 16) {
      to.resize(begin + size);
      return Codec::kZstd;
    }
    to.resize(begin);
  }
  to.insert(to.end(), payload.begin(), payload.end());
  return Codec::kRaw;
}

Status Decompressor::run(Codec codec, Bytes stored, std::span<uint8_t> raw) {
  switch (codec) {
    case Codec::kRaw:
      if (stored.size() != raw.size()) return Status(Code::kCorrupt, "payload is not as long as its header says");
      if (!raw.empty()) std::memcpy(raw.data(), stored.data(), raw.size());
      return {};
    case Codec::kZstd: {
      if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
      if (context_ == nullptr) return Status(Code::kLimit, "the machine has no memory to decompress with");
      const size_t size = ZSTD_decompressDCtx(context_.get(), raw.data(), raw.size(), stored.data(), stored.size());
      if (ZSTD_isError(size) || size != raw.size()) return Status(Code::kCorrupt, "payload does not decompress");
      return {};
    }
  }
  return Status(Code::kUnsupported, "codec " + std::to_string(static_cast<int>(codec)) +
                                        " is newer than this reader: update headrace to read it");
}

}  // namespace headrace::format
