#pragma once
// Payload compression. A codec object keeps zstd's working memory (about 1 MB) between chunks, because making it costs
// more than compressing a small chunk. One thread at a time per object.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/chunk.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace headrace::format {

/// Whether a payload repeats itself. Noise (lengths of what could not be predicted) does not: it is stored with as many
/// bits as each byte is worth and nobody looks for what came before, which takes half the time and 1 % more bytes.
/// Planes change their nature from one to the next: that is looked for, and as such files are kept for years, a little
/// harder for what repeats.
enum class Repeats { kOften, kHardly, kInPlanes };

class Compressor {
 public:
  /// Appends `payload` to `to`, compressed if that saves a sixteenth, and returns how.
  Codec append(base::Bytes payload, std::vector<uint8_t>& to, Repeats repeats = Repeats::kOften);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  void set(Repeats repeats) const;
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;  // made when first needed
};

class Decompressor {
 public:
  /// Fills `raw`, whose size is the promised length. kCorrupt: not that many bytes, or no zstd frame.
  /// kUnsupported: a codec this version does not know. Takes no memory beyond `raw` and the context.
  base::Status run(Codec codec, base::Bytes stored, std::span<uint8_t> raw);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;  // made when first needed
};

}  // namespace headrace::format
