#include "format/room.h"

#include "base/bytes.h"
#include "base/crc32c.h"

namespace headrace::format {

using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

namespace {

/// A chunk of eight bytes, which are stored as they are: compressed they would be more.
std::vector<uint8_t> sealed(ChunkHeader header, uint64_t number) {
  std::vector<uint8_t> chunk(kHeaderSize), payload;
  base::ByteWriter(payload).u64(number);
  header.codec = Codec::kRaw;
  header.raw_length = header.stored_length = static_cast<uint32_t>(payload.size());
  header.payload_crc = base::crc32c(payload);
  encode_header(header, std::span(chunk).first<kHeaderSize>());
  chunk.insert(chunk.end(), payload.begin(), payload.end());
  return chunk;
}

}  // namespace

std::vector<uint8_t> room_mark(uint64_t job, uint64_t passed) {
  ChunkHeader header;
  header.kind = kRoomKind;
  header.job = job;
  return sealed(header, passed);
}

Result<std::vector<uint8_t>> tail_behind(Bytes tail) {
  HEADRACE_ASSIGN(ChunkHeader header, decode_header(tail));
  const Bytes payload = tail.subspan(kHeaderSize);
  if (header.kind != kTailKind || payload.size() != sizeof(uint64_t) || header.stored_length != payload.size() ||
      base::crc32c(payload) != header.payload_crc) {
    return Status(Code::kCorrupt, "no index ends here");
  }
  return sealed(header, base::load<uint64_t>(payload.data()) + tail.size());
}

uint64_t passed_by(Bytes payload) {
  return payload.size() < sizeof(uint64_t) ? 0 : base::load<uint64_t>(payload.data());
}

}  // namespace headrace::format
