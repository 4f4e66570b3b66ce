#include "heal.h"

#include <cstring>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/chunk.h"
#include "format/magic.h"

namespace headrace::fuzz {

using namespace headrace::format;

namespace {
constexpr size_t kStoredLengthAt = 88;  // of the header; docs/formats/chunk-file.md
constexpr size_t kPayloadCrcAt = 92;
}  // namespace

void heal_checksums(std::vector<uint8_t>& file) {
  const base::Bytes bytes(file);
  // Backwards, so that a chunk inside the payload of another is healed before the outer checksum is taken.
  for (size_t at = file.size() + 1; at-- > 0;) {
    if (file.size() - at < kHeaderSize || std::memcmp(file.data() + at, kMagic.data(), kMagicStem) != 0) continue;
    const uint32_t stored = base::load<uint32_t>(file.data() + at + kStoredLengthAt);
    if (stored <= file.size() - at - kHeaderSize) {
      const uint32_t payload_crc = base::crc32c(bytes.subspan(at + kHeaderSize, stored));
      std::memcpy(file.data() + at + kPayloadCrcAt, &payload_crc, sizeof payload_crc);
    }
    const uint32_t header_crc = base::crc32c(bytes.subspan(at, kHeaderSize - 4));
    std::memcpy(file.data() + at + kHeaderSize - 4, &header_crc, sizeof header_crc);
  }
}

}  // namespace headrace::fuzz
