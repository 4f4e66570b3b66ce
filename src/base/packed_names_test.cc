#include "base/packed_names.h"

#include <gtest/gtest.h>

namespace headrace::base {
namespace {

struct Fruits {
  static constexpr const char* kTexts[] = {"apple", "", "pear", "pear", "apple"};
};

TEST(PackedNames, GivesEachTextByItsNumber) {
  static_assert(kPacked<Fruits>.size() == 5);
  for (size_t i = 0; i < kPacked<Fruits>.size(); ++i) EXPECT_STREQ(kPacked<Fruits>[i], Fruits::kTexts[i]);
}

TEST(PackedNames, KeepsATextOnceThatFollowsItself) {
  EXPECT_EQ((kPacked<Fruits>[2]), (kPacked<Fruits>[3]));
  EXPECT_EQ(sizeof kPacked<Fruits>, 5 * sizeof(uint16_t) + sizeof "apple" * 2 + sizeof "" + sizeof "pear");
}

}  // namespace
}  // namespace headrace::base
