#include "base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <unordered_set>

namespace headrace::base {
namespace {

// Ids are stored in files: these values must stay for ever. They were computed with an independent
// big-integer implementation of the rule in hash.h.
TEST(Hash, KeepsItsValuesForEver) {
  EXPECT_EQ(hash_text(""), 0x4ade4b9355120779);
  EXPECT_EQ(hash_text("a"), 0xe8bc23f0ddfaa820);
  EXPECT_EQ(hash_text("/scratch"), 0x00056992548d4f6f);
  EXPECT_EQ(hash_text("/scratch/run 1/output.h5"), 0x512272b7b94db726);
  EXPECT_EQ(hash_text(std::string(3, '\0')), 0x665efc2acb1682b0);
  EXPECT_EQ(mix(1, 2), 0xd458c96411f5434f);
  EXPECT_EQ(mix(0, 0), 0x6889d6c3aacfb8b8);
}

TEST(Hash, DoesNotDependOnAlignment) {
  const std::string text = "xxxxxxxx/a/path/that/spans/words";
  for (size_t skip = 0; skip < 8; ++skip) {
    const std::string same = text.substr(skip);
    EXPECT_EQ(hash_bytes(text.data() + skip, text.size() - skip), hash_text(same));
  }
}

TEST(Hash, TellsLengthsAndOrdersApart) {
  std::unordered_set<uint64_t> seen;
  for (size_t length = 0; length < 64; ++length) seen.insert(hash_text(std::string(length, '\0')));
  EXPECT_EQ(seen.size(), 64u);
  EXPECT_NE(mix(1, 2), mix(2, 1));
  EXPECT_NE(mix(mix(1, 2), 3), mix(1, mix(2, 3)));
}

TEST(Hash, HasNoCollisionAmongManyPathsAndPairs) {
  std::unordered_set<uint64_t> seen;
  constexpr uint64_t kCount = 200'000;
  for (uint64_t i = 0; i < kCount; ++i) {
    seen.insert(hash_text("/scratch/project/run" + std::to_string(i / 1000) + "/part." + std::to_string(i % 1000)));
    seen.insert(mix(i / 700, i % 700));
  }
  EXPECT_EQ(seen.size(), 2 * kCount);
}

// Every input bit must reach every output bit about half the time, or ids of similar paths would cluster.
TEST(Hash, EveryInputBitChangesHalfOfTheOutput) {
  constexpr size_t kLength = 24;
  for (size_t bit = 0; bit < kLength * 8; ++bit) {
    int changed = 0;
    for (int sample = 0; sample < 256; ++sample) {
      std::string text(kLength, '\0');
      for (size_t i = 0; i < kLength; ++i) text[i] = static_cast<char>(mix(sample, i));
      std::string other = text;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
      changed += std::popcount(hash_text(text) ^ hash_text(other));
    }
    EXPECT_NEAR(changed / 256.0, 32.0, 2.0) << "bit " << bit;
  }
}

}  // namespace
}  // namespace headrace::base
