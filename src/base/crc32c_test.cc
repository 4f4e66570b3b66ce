#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>

namespace headrace::base {
namespace {

TEST(Crc32c, AgreesWithTheRfcVectors) {  // RFC 3720, appendix B.4
  std::vector<uint8_t> bytes(32, 0);
  EXPECT_EQ(crc32c(bytes), 0x8a9136aau);
  bytes.assign(32, 0xff);
  EXPECT_EQ(crc32c(bytes), 0x62a8ab43u);
  std::iota(bytes.begin(), bytes.end(), 0);
  EXPECT_EQ(crc32c(bytes), 0x46dd794eu);
  EXPECT_EQ(crc32c(as_bytes("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc32c, HardwareAndTablesAgreeAtEveryLengthAndSplit) {
  std::vector<uint8_t> bytes(67);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + 11);
  const Bytes all(bytes);
  for (size_t from = 0; from < 9; ++from) {
    for (size_t length = 0; from + length <= all.size(); ++length) {
      const Bytes part = all.subspan(from, length);
      EXPECT_EQ(crc32c(part), crc32c_portable(part));
      const size_t half = length / 2;
      EXPECT_EQ(crc32c(part.subspan(half), crc32c(part.first(half))), crc32c(part));
    }
  }
}

}  // namespace
}  // namespace headrace::base
