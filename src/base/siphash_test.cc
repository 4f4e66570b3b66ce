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
