#include "format/codec.h"

#include <gtest/gtest.h>

#include <random>

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

TEST(Codec, StoresNoiseInTheBitsThatItIsWorth) {
  Compressor compressor;
  Decompressor decompressor;
  std::vector<uint8_t> noise(32768);
  std::mt19937 random(20261123);
  std::binomial_distribution<int> lengths(16, 0.5);  // 3.05 bits of entropy
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(lengths(random));
  size_t sizes[2];
  for (const Repeats repeats : {Repeats::kHardly, Repeats::kOften}) {  // one does not stay set for the other
    std::vector<uint8_t> stored;
    ASSERT_EQ(compressor.append(noise, stored, repeats), Codec::kZstd);
    sizes[repeats == Repeats::kOften] = stored.size();
    std::vector<uint8_t> raw(noise.size());
    ASSERT_TRUE(decompressor.run(Codec::kZstd, stored, raw).ok());
    EXPECT_EQ(raw, noise);
  }
  EXPECT_LT(sizes[0], noise.size() * 3.05 / 8 * 1.03);
  EXPECT_NE(sizes[0], sizes[1]);
}

TEST(Codec, TakesPlanesByTheirNature) {
  Compressor compressor;
  Decompressor decompressor;
  std::vector<uint8_t> planes;
  std::mt19937 random(20261124);
  for (int plane = 0; plane < 8; ++plane) {  // noise of a few values, other ones in each plane
    for (int i = 0; i < 12'000; ++i) planes.push_back(static_cast<uint8_t>(32 * plane + random() % (4 << (plane % 4))));
  }
  size_t sizes[2];
  for (const Repeats repeats : {Repeats::kInPlanes, Repeats::kOften}) {
    std::vector<uint8_t> stored;
    ASSERT_EQ(compressor.append(planes, stored, repeats), Codec::kZstd);
    sizes[repeats == Repeats::kOften] = stored.size();
    std::vector<uint8_t> raw(planes.size());
    ASSERT_TRUE(decompressor.run(Codec::kZstd, stored, raw).ok());
    EXPECT_EQ(raw, planes);
  }
  EXPECT_LT(sizes[0], sizes[1] * 3 / 4);
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
