#include "format/chunk.h"

#include <gtest/gtest.h>

#include "base/crc32c.h"

namespace headrace::format {
namespace {

using base::Code;

ChunkHeader sample() {
  ChunkHeader header;
  header.version = 3;
  header.set_name("files");
  header.job = 0x1122334455667788;
  header.producer = {.process = 9, .rank = 2, .thread = 7};
  header.sequence = 41;
  header.begin_at_ns = 1000;
  header.end_at_ns = 2000;
  header.rows = 5;
  return header;
}

std::vector<uint8_t> with_crc(std::vector<uint8_t> header) {
  header.resize(kHeaderSize);
  const uint32_t crc = base::crc32c(base::Bytes(header).first(kHeaderSize - 4));
  std::memcpy(header.data() + kHeaderSize - 4, &crc, sizeof crc);
  return header;
}

TEST(Chunk, HeaderSurvivesARoundTrip) {
  ChunkHeader header = sample();
  const std::vector<uint8_t> payload(1000, 'x');
  auto chunk = seal_chunk(header, payload);
  ASSERT_TRUE(chunk.ok());
  EXPECT_EQ(header.codec, Codec::kZstd);
  EXPECT_EQ(header.raw_length, 1000u);
  EXPECT_EQ(chunk->size(), kHeaderSize + header.stored_length);
  auto back = decode_header(*chunk);
  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(*back, header);
  EXPECT_EQ(back->name(), "files");
}

TEST(Chunk, StaysRawWhereCompressionSavesNothing) {
  ChunkHeader header = sample();
  const std::vector<uint8_t> payload{1, 2, 3};
  auto chunk = seal_chunk(header, payload);
  EXPECT_EQ(header.codec, Codec::kRaw);
  EXPECT_EQ(chunk->size(), kHeaderSize + 3);
  EXPECT_EQ(seal_chunk(header, {})->size(), kHeaderSize);
}

TEST(Chunk, RefusesWhatAChunkCannotHold) {
  ChunkHeader header = sample();
  const std::vector<uint8_t> payload(kMaxPayloadBytes + 1);
  EXPECT_EQ(seal_chunk(header, payload).code(), Code::kLimit);
}

TEST(Chunk, NamesWhatIsWrongWithAHeader) {
  ChunkHeader header = sample();
  const std::vector<uint8_t> good = *seal_chunk(header, {});
  EXPECT_EQ(decode_header(base::Bytes(good).first(kHeaderSize - 1)).code(), Code::kTruncated);
  auto bytes = good;
  bytes[0] ^= 1;
  EXPECT_EQ(decode_header(bytes).code(), Code::kForeign);
  bytes = good;
  bytes[50] ^= 1;
  EXPECT_EQ(decode_header(bytes).code(), Code::kCorrupt);
  bytes = good;
  bytes[7] = 2;
  EXPECT_EQ(decode_header(bytes).code(), Code::kCorrupt);
  EXPECT_EQ(decode_header(with_crc(bytes)).code(), Code::kUnsupported);
}

TEST(Chunk, LimitsWhatAHeaderMayClaim) {
  for (auto change : {+[](ChunkHeader& h) { h.rows = kMaxRows + 1; }, +[](ChunkHeader& h) { h.raw_length = 1; },
                      +[](ChunkHeader& h) { h.raw_length = h.stored_length = kMaxPayloadBytes + 1; },
                      +[](ChunkHeader& h) {
                        h.codec = Codec::kZstd;
                        h.raw_length = kMaxPayloadBytes + 1;
                      }}) {
    ChunkHeader header = sample();
    change(header);
    std::array<uint8_t, kHeaderSize> bytes;
    encode_header(header, bytes);
    EXPECT_EQ(decode_header(bytes).code(), Code::kCorrupt);
  }
}

TEST(Chunk, KindsAreText) {
  EXPECT_EQ(kind_text(kTableKind), "TABL");
  EXPECT_EQ(kind_text(0x00ff4142), "BA??");
}

TEST(Chunk, LongNamesAreCut) {
  ChunkHeader header;
  header.set_name("sixteen_letters_");
  EXPECT_EQ(header.name(), "sixteen_letters_");
  header.set_name("more than sixteen letters");
  EXPECT_EQ(header.name().size(), kNameSize);
}

}  // namespace
}  // namespace headrace::format
