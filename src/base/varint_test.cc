#include "base/varint.h"

#include <gtest/gtest.h>

#include <limits>

namespace headrace::base {
namespace {

bool parse(std::vector<uint8_t> bytes, uint64_t& value) {
  ByteReader reader(bytes);
  return read_varint(reader, value) && reader.left() == 0;
}

TEST(Varint, RoundTripAtEveryLength) {
  for (int bits = 0; bits <= 64; ++bits) {
    const uint64_t top = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    for (uint64_t value : {top, top / 2 + 1, top ^ 1}) {
      std::vector<uint8_t> bytes;
      ByteWriter writer(bytes);
      write_varint(writer, value);
      EXPECT_LE(bytes.size(), static_cast<size_t>(kMaxVarintBytes));
      uint64_t back = 0;
      ASSERT_TRUE(parse(bytes, back)) << value;
      EXPECT_EQ(back, value);
    }
  }
}

TEST(Varint, RefusesWhatNoWriterMakes) {
  uint64_t value = 0;
  EXPECT_FALSE(parse({}, value));
  EXPECT_FALSE(parse({0x80}, value));        // ends inside
  EXPECT_FALSE(parse({0x81, 0x00}, value));  // longer than needed
  EXPECT_FALSE(parse(std::vector<uint8_t>(10, 0xff), value));
  std::vector<uint8_t> over(9, 0xff);
  over.push_back(2);  // bit 65
  EXPECT_FALSE(parse(over, value));
}

TEST(Varint, ZigzagKeepsSmallMagnitudesSmall) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  for (int64_t value :
       {std::numeric_limits<int64_t>::min(), int64_t{-5}, int64_t{0}, std::numeric_limits<int64_t>::max()})
    EXPECT_EQ(unzigzag(zigzag(value)), value);
}

}  // namespace
}  // namespace headrace::base
