#include "forward/protocol/placement.h"

#include <gtest/gtest.h>

#include <vector>

namespace headrace::forward {
namespace {

Layout layout(Placing place, size_t servers, size_t own = 0, bool holds = true) {
  Placement placement;
  placement.place = place;
  placement.holds = holds;
  return {placement, servers, own};
}

TEST(Layout, OfFilesHasAllOfOneAtItsHome) {
  const Layout by_file = layout(Placing::kFile, 3);
  for (uint64_t offset : {uint64_t{0}, kUsualStripe, 77 * kUsualStripe + 1}) EXPECT_EQ(by_file.owner(8, offset), 2u);
  EXPECT_EQ(by_file.run(5), UINT64_MAX);
  EXPECT_TRUE(by_file.owns_of(8, 2, 0, 0) && !by_file.owns_of(8, 1, 0, 0));
  EXPECT_FALSE(by_file.is_spread() || by_file.is_held_elsewhere());
}

TEST(Layout, OfStripesGoesAroundFromTheHome) {
  const Layout by_stripe = layout(Placing::kStripe, 3);
  for (uint64_t stripe = 0; stripe < 9; ++stripe) {
    EXPECT_EQ(by_stripe.owner(8, stripe * kUsualStripe), (2 + stripe) % 3);
    EXPECT_EQ(by_stripe.owner(8, (stripe + 1) * kUsualStripe - 1), (2 + stripe) % 3);
    EXPECT_EQ(by_stripe.run((stripe + 1) * kUsualStripe - 1), 1u);
    EXPECT_EQ(by_stripe.run(stripe * kUsualStripe), kUsualStripe);
  }
  EXPECT_TRUE(by_stripe.is_spread());
  EXPECT_FALSE(layout(Placing::kStripe, 3, 0, false).is_spread());
  EXPECT_FALSE(layout(Placing::kStripe, 1).is_spread());
}

TEST(Layout, KnowsTheOwnersOfARange) {
  const Layout by_stripe = layout(Placing::kStripe, 4);
  for (const auto& [offset, length] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0, 1}, {kUsualStripe - 1, 2}, {5, 2 * kUsualStripe}, {7 * kUsualStripe, 9 * kUsualStripe}}) {
    for (size_t server = 0; server < 4; ++server) {
      bool owns = false;
      for (uint64_t at = offset; at < offset + length; at += by_stripe.run(at))
        owns = owns || by_stripe.owner(3, at) == server;
      EXPECT_EQ(by_stripe.owns_of(3, server, offset, length), owns) << offset << " " << length << " " << server;
    }
  }
  EXPECT_TRUE(by_stripe.owns_of(3, 1, 0, 0));
}

TEST(Layout, OfNodesHasAllAtTheOwnServer) {
  const Layout by_node = layout(Placing::kNode, 3, 1);
  EXPECT_EQ(by_node.owner(8, 99 * kUsualStripe), 1u);
  EXPECT_EQ(by_node.home(8), 2u);
  EXPECT_TRUE(by_node.is_held_elsewhere());
  EXPECT_FALSE(by_node.is_spread());
}

TEST(Placement, IsChecked) {
  Placement placement;
  EXPECT_TRUE(placement.valid());
  for (const uint64_t stripe : {uint64_t{0}, kStripeUnit - 1, kStripeUnit + 1, kLargestStripe + kStripeUnit}) {
    placement.stripe = stripe;
    EXPECT_FALSE(placement.valid());
  }
  placement = {static_cast<Placing>(3)};
  EXPECT_FALSE(placement.valid());
  EXPECT_EQ(this_node(), this_node());
  EXPECT_EQ(placing_of("stripe"), Placing::kStripe);
  EXPECT_FALSE(placing_of("rack").has_value());
}

}  // namespace
}  // namespace headrace::forward
