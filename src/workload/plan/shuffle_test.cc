#include "workload/plan/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace headrace::workload {
namespace {

TEST(Shuffle, EveryNumberComesOnce) {
  for (const uint64_t count : {1, 2, 3, 4, 5, 16, 17, 1000, 4097}) {
    const Shuffle shuffle(count, 7);
    std::vector<uint64_t> order;
    for (uint64_t i = 0; i < count; ++i) order.push_back(shuffle(i));
    std::sort(order.begin(), order.end());
    for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(order[i], i) << "of " << count;
  }
}

TEST(Shuffle, SeedsGiveOrdersOfTheirOwn) {
  const Shuffle one(1000, 1), same(1000, 1), other(1000, 2);
  int in_place = 0, alike = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(one(i), same(i));
    in_place += one(i) == i ? 1 : 0;
    alike += one(i) == other(i) ? 1 : 0;
  }
  EXPECT_LT(in_place, 20);
  EXPECT_LT(alike, 20);
}

}  // namespace
}  // namespace headrace::workload
