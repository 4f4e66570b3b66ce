#include "format/chunk.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/codec.h"
#include "format/magic.h"

namespace headrace::format {

using base::ByteReader;
using base::Bytes;
using base::Code;
using base::Result;
using base::Status;

std::string kind_text(uint32_t kind) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) {
    const char c = static_cast<char>(kind >> shift);
    text.push_back(c > ' ' && c < 0x7f ? c : '?');
  }
  return text;
}

std::string_view ChunkHeader::name() const {
  return {name_bytes.data(), strnlen(name_bytes.data(), name_bytes.size())};
}

void ChunkHeader::set_name(std::string_view name) {
  name_bytes.fill('\0');
  std::copy_n(name.begin(), std::min(name.size(), name_bytes.size()), name_bytes.begin());
}

void encode_header(const ChunkHeader& header, std::span<uint8_t, kHeaderSize> bytes) {
  uint8_t* at = bytes.data();
  const auto put = [&at](auto value) {
    std::memcpy(at, &value, sizeof value);
    at += sizeof value;
  };
  put(kMagic);
  put(header.kind);
  put(header.version);
  put(header.codec);
  put(header.name_bytes);
  put(header.job);
  put(header.producer.process);
  put(header.producer.rank);
  put(header.producer.thread);
  put(header.sequence);
  put(header.begin_at_ns);
  put(header.end_at_ns);
  put(header.rows);
  put(header.raw_length);
  put(header.stored_length);
  put(header.payload_crc);
  put(base::crc32c(bytes.first(kHeaderSize - sizeof(uint32_t))));
}

Result<ChunkHeader> decode_header(Bytes bytes) {
  if (bytes.size() < kHeaderSize) return Status(Code::kTruncated, "ends inside a chunk header");
  if (std::memcmp(bytes.data(), kMagic.data(), kMagicStem) != 0) return Status(Code::kForeign, "no chunk header here");
  const uint32_t stored_crc = base::load<uint32_t>(bytes.data() + kHeaderSize - sizeof(uint32_t));
  if (base::crc32c(bytes.first(kHeaderSize - sizeof(uint32_t))) != stored_crc) {
    return Status(Code::kCorrupt, "chunk header fails its checksum");
  }
  if (bytes[kMagicStem] != kMagic[kMagicStem]) {
    return Status(Code::kUnsupported, "chunk header of a newer format: update headrace to read it");
  }
  ByteReader reader(bytes.subspan(kMagic.size()));
  ChunkHeader header;
  header.kind = reader.u32();
  header.version = reader.u16();
  header.codec = static_cast<Codec>(reader.u16());
  std::memcpy(header.name_bytes.data(), reader.take(kNameSize).data(), kNameSize);
  header.job = reader.u64();
  header.producer.process = reader.u64();
  header.producer.rank = reader.u32();
  header.producer.thread = reader.u32();
  header.sequence = reader.u64();
  header.begin_at_ns = reader.u64();
  header.end_at_ns = reader.u64();
  header.rows = reader.u32();
  header.raw_length = reader.u32();
  header.stored_length = reader.u32();
  header.payload_crc = reader.u32();
  HEADRACE_TRY(check_header(header));
  return header;
}

Status check_header(const ChunkHeader& header) {
  if (header.rows > kMaxRows) return Status(Code::kCorrupt, "chunk claims more rows than the format allows");
  if (header.raw_length > kMaxPayloadBytes || header.stored_length > kMaxPayloadBytes) {
    return Status(Code::kCorrupt, "chunk claims more bytes than the format allows");
  }
  if (header.codec == Codec::kRaw && header.raw_length != header.stored_length) {
    return Status(Code::kCorrupt, "uncompressed chunk claims two different lengths");
  }
  return {};
}

Result<std::vector<uint8_t>> seal_chunk(ChunkHeader& header, Bytes payload) {
  Compressor compressor;
  return seal_chunk(header, payload, compressor, Repeats::kOften);
}

namespace {

Status check_length(size_t payload) {
  if (payload <= kMaxPayloadBytes) return {};
  return {Code::kLimit, "payload of " + std::to_string(payload) + " bytes: a chunk holds at most " +
                            std::to_string(kMaxPayloadBytes)};
}

void finish(ChunkHeader& header, std::vector<uint8_t>& chunk) {
  header.stored_length = static_cast<uint32_t>(chunk.size() - kHeaderSize);
  header.payload_crc = base::crc32c(Bytes(chunk).subspan(kHeaderSize));
  encode_header(header, std::span(chunk).first<kHeaderSize>());
}

}  // namespace

Result<std::vector<uint8_t>> seal_chunk(ChunkHeader& header, Bytes payload, Compressor& compressor, Repeats repeats) {
  HEADRACE_TRY(check_length(payload.size()));
  std::vector<uint8_t> chunk(kHeaderSize);
  header.codec = compressor.append(payload, chunk, repeats);
  header.raw_length = static_cast<uint32_t>(payload.size());
  finish(header, chunk);
  return chunk;
}

Status seal_as_it_is(ChunkHeader& header, std::vector<uint8_t>& chunk) {
  HEADRACE_TRY(check_length(chunk.size() - kHeaderSize));
  header.codec = Codec::kRaw;
  header.raw_length = static_cast<uint32_t>(chunk.size() - kHeaderSize);
  finish(header, chunk);
  return {};
}

}  // namespace headrace::format
