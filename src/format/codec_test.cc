#include "format/codec.h"

#include <gtest/gtest.h>

namespace headrace::format {
namespace {

using base::Code;

TEST(Codec, OneObjectServesManyPayloads) {
  Compressor compressor;
  Decompressor decompressor;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100'000}, size_t{300}}) {
    const std::vector<uint8_t> payload(size, 'x');
    std::vector<uint8_t> stored{1, 2, 3};  // what is there already stays
    const Codec codec = compressor.append(payload, stored);
    EXPECT_EQ(codec, size < 100 ? Codec::kRaw : Codec::kZstd);
    EXPECT_EQ(stored[2], 3);
    std::vector<uint8_t> raw(size);
    ASSERT_TRUE(decompressor.run(codec, base::Bytes(stored).subspan(3), raw).ok());
    EXPECT_EQ(raw, payload);
  }
}

TEST(Codec, BelievesNoLength) {
  Compressor compressor;
  Decompressor decompressor;
  const std::vector<uint8_t> payload(1000, 'x');
  std::vector<uint8_t> stored;
  ASSERT_EQ(compressor.append(payload, stored), Codec::kZstd);
  for (const size_t promised : {size_t{0}, size_t{999}, size_t{1001}}) {
    std::vector<uint8_t> raw(promised);
    EXPECT_EQ(decompressor.run(Codec::kZstd, stored, raw).code(), Code::kCorrupt);
    EXPECT_EQ(decompressor.run(Codec::kRaw, payload, raw).code(), Code::kCorrupt);
  }
  std::vector<uint8_t> raw(1000);
  EXPECT_EQ(decompressor.run(Codec::kZstd, payload, raw).code(), Code::kCorrupt);
  EXPECT_EQ(decompressor.run(static_cast<Codec>(9), stored, raw).code(), Code::kUnsupported);
}

}  // namespace
}  // namespace headrace::format
