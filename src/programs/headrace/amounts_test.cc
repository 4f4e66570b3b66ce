#include "programs/headrace/amounts.h"

#include <gtest/gtest.h>

namespace headrace::programs {
namespace {

TEST(Amounts, AreShortAndNeverZeroForSome) {
  EXPECT_EQ(amount(0), "0 B");
  EXPECT_EQ(amount(1), "1 B");
  EXPECT_EQ(amount(999), "999 B");
  EXPECT_EQ(amount(1000), "0.977 KiB");
  EXPECT_EQ(amount(1536), "1.5 KiB");
  EXPECT_EQ(amount(10000), "9.77 KiB");
  EXPECT_EQ(amount(1 << 20), "1 MiB");
  EXPECT_EQ(amount(1e6), "977 KiB");
  EXPECT_EQ(amount(1ull << 40), "1 TiB");
  EXPECT_EQ(amount(1e30), "8.67e+11 EiB");
}

}  // namespace
}  // namespace headrace::programs
