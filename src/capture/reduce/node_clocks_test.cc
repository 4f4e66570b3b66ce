#include "capture/reduce/node_clocks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "base/simulated_ranks.h"

namespace headrace::capture {
namespace {

/// Time passes when somebody reads a clock or waits, by more or less.
struct World {
  uint64_t now = 5'000'000;
  std::mt19937_64 random;
  uint64_t read(int64_t offset) {
    now += 100 + random() % 3000;
    return now + static_cast<uint64_t>(offset);
  }
};

using Found = std::map<int, NodeOffset>;

/// Node of each rank, offset of each node's clock.
Found measure(const std::vector<uint64_t>& node_of, const std::map<uint64_t, int64_t>& offset, uint64_t seed = 1) {
  World world;
  world.random.seed(seed);
  Found found;
  base::simulate_ranks(static_cast<int>(node_of.size()), [&](base::Communicator& ranks) {
    const uint64_t node = node_of[static_cast<size_t>(ranks.rank())];
    const auto mine = measure_node_clock(ranks, node, 1000 + static_cast<uint64_t>(ranks.rank()),
                                         [&] { return ClockReading{world.read(offset.at(node)), 0}; });
    ASSERT_TRUE(mine.ok()) << mine.status().message();
    found[ranks.rank()] = *mine;
  });
  return found;
}

TEST(NodeClocks, FindsOffsetsWithinTheErrorThatItTells) {
  const std::map<uint64_t, int64_t> offset = {{7, 0}, {3, 40'000'000}, {9, -7'000'000'000}, {4, 1}};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Found found = measure({7, 3, 3, 9, 7, 9, 4, 3, 4}, offset, seed);
    for (const auto& [rank, node] : std::map<int, uint64_t>{{1, 3}, {3, 9}, {6, 4}}) {
      const NodeOffset& each = found.at(rank);
      ASSERT_TRUE(each.measured);
      EXPECT_EQ(each.reference, 1000u);
      const int64_t wrong = each.offset_ns + offset.at(node);
      EXPECT_LE(static_cast<uint64_t>(std::llabs(wrong)), each.error_ns) << "seed " << seed << " rank " << rank;
      EXPECT_LT(each.error_ns, 3000u);  // the best of several
    }
  }
}

TEST(NodeClocks, AnOffsetIsOfTheMomentThatItTells) {
  constexpr uint64_t kAhead = 40'000'000, kOneIn = 1000;  // the other clock gains 1 ms a second
  for (uint64_t seed = 0; seed < 50; ++seed) {
    World world;
    world.random.seed(seed);
    NodeOffset found;
    base::simulate_ranks(2, [&](base::Communicator& ranks) {
      const auto mine = measure_node_clock(ranks, static_cast<uint64_t>(ranks.rank()), 5, [&] {
        if (world.random() % 8 == 0) world.now += 4'000'000;  // the processor does something else
        const uint64_t now = world.read(0);
        return ClockReading{ranks.rank() == 0 ? now : now + now / kOneIn + kAhead, now};
      });
      ASSERT_TRUE(mine.ok());
      if (ranks.rank() == 1) found = *mine;
    });
    const auto ahead = static_cast<int64_t>(found.at.ticks / kOneIn + kAhead);
    const int64_t wrong = found.offset_ns + ahead;
    EXPECT_LE(std::llabs(wrong), static_cast<int64_t>(found.error_ns + found.error_ns / kOneIn + 1)) << "seed " << seed;
    EXPECT_LT(found.error_ns, 10'000u);
  }
}

TEST(NodeClocks, OneRankOfEachNodeMeasures) {
  const Found found = measure({5, 5, 6, 5, 6}, {{5, 0}, {6, 10}});
  EXPECT_TRUE(found.at(0).measured);  // for the reading of its own clock
  EXPECT_EQ(found.at(0).error_ns, 0u);
  EXPECT_TRUE(found.at(2).measured);
  for (const int rank : {1, 3, 4}) EXPECT_FALSE(found.at(rank).measured) << rank;
}

TEST(NodeClocks, NothingIsMeasuredOnOneNode) {
  for (const auto& [rank, each] : measure({8, 8, 8}, {{8, 0}})) EXPECT_FALSE(each.measured) << rank;
  for (const auto& [rank, each] : measure({8}, {{8, 0}})) EXPECT_FALSE(each.measured) << rank;
}

TEST(NodeClocks, ARankThatDoesNotComeIsAnError) {
  int failed = 0;
  base::simulate_ranks(4, [&](base::Communicator& ranks) {
    if (ranks.rank() == 2) return;
    const auto mine =
        measure_node_clock(ranks, static_cast<uint64_t>(ranks.rank()), 0, [] { return ClockReading{1, 0}; });
    failed += !mine.ok();
  });
  EXPECT_EQ(failed, 3);
}

}  // namespace
}  // namespace headrace::capture
