#include "base/siphash.h"

#include <gtest/gtest.h>

#include <string>

namespace headrace::base {
namespace {

SipKey counting_key() {
  SipKey key;
  for (uint8_t i = 0; i < 16; ++i) key[i] = i;
  return key;
}

// Key 00 01 … 0f, input 00 01 … of so many bytes; the value of 15 bytes is in the paper's appendix A, the others are in
// its authors' reference vectors.
TEST(SipHash, HasTheValuesOfItsAuthors) {
  std::string input;
  for (char i = 0; i < 15; ++i) input += i;
  EXPECT_EQ(siphash(counting_key(), input), 0xa129ca6149be45e5);
  EXPECT_EQ(siphash(counting_key(), ""), 0x726fdb47dd0e0e31);
  EXPECT_EQ(siphash(counting_key(), std::string(1, '\0')), 0x74f839c593dc67fd);
  EXPECT_EQ(siphash(counting_key(), input.substr(0, 8)), 0x93f5f5799a932462);
}

// The same inputs; the first values of `vectors_sip128` in its authors' reference implementation.
TEST(SipHash, HasTheValuesOfItsAuthorsWith128Bits) {
  const std::array<uint8_t, 16> none = {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6,
                                        0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93};
  const std::array<uint8_t, 16> one = {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44,
                                       0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45};
  EXPECT_EQ(siphash128(counting_key(), ""), none);
  EXPECT_EQ(siphash128(counting_key(), std::string(1, '\0')), one);
}

TEST(SipHash, DependsOnEveryBitOfTheKey) {
  const uint64_t before = siphash(counting_key(), "alice");
  for (size_t bit = 0; bit < 128; ++bit) {
    SipKey key = counting_key();
    key[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_NE(siphash(key, "alice"), before);
  }
}

}  // namespace
}  // namespace headrace::base
