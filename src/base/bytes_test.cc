#include "base/bytes.h"

#include <gtest/gtest.h>

namespace headrace::base {
namespace {

TEST(Bytes, RoundTripIsLittleEndian) {
  std::vector<uint8_t> bytes;
  ByteWriter writer(bytes);
  writer.u8(1);
  writer.u16(0x0302);
  writer.u32(0);
  writer.u64(0x0b0a090807060504);
  writer.append(as_bytes("xy"));
  writer.set_u32(3, 0xdeadbeef);
  EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 2, 3, 0xef, 0xbe, 0xad, 0xde, 4, 5, 6, 7, 8, 9, 10, 11, 'x', 'y'}));

  ByteReader reader(bytes);
  EXPECT_EQ(reader.u8(), 1);
  EXPECT_EQ(reader.u16(), 0x0302);
  EXPECT_EQ(reader.u32(), 0xdeadbeef);
  EXPECT_EQ(reader.u64(), 0x0b0a090807060504u);
  EXPECT_EQ(as_text(reader.take(2)), "xy");
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.left(), 0u);
}

TEST(Bytes, FailsForGoodAndNeverReadsPastTheEnd) {
  const std::vector<uint8_t> bytes{1, 2, 3};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.u32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0);  // a byte is left, but the sequence is already broken
  EXPECT_TRUE(reader.take(0).empty());

  ByteReader huge(bytes);
  EXPECT_TRUE(huge.take(~uint64_t{0}).empty());
  EXPECT_FALSE(huge.ok());

  ByteReader empty({});
  EXPECT_TRUE(empty.take(0).empty());
  EXPECT_TRUE(empty.ok());
}

}  // namespace
}  // namespace headrace::base
