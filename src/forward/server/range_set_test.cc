#include "forward/server/range_set.h"

#include <gtest/gtest.h>

#include <random>

namespace headrace::forward {
namespace {

constexpr size_t kBytes = 200;

/// One flag for each byte, as a plain model.
class Model {
 public:
  void set(Range range, bool value) {
    for (uint64_t i = range.begin; i < range.end; ++i) bytes_[i] = value;
  }
  std::vector<Range> within(Range range) const {
    std::vector<Range> found;
    for (uint64_t i = range.begin; i < range.end; ++i) {
      if (!bytes_[i]) continue;
      if (!found.empty() && found.back().end == i)
        ++found.back().end;
      else
        found.push_back({i, i + 1});
    }
    return found;
  }
  bool at(uint64_t i) const { return bytes_[i]; }

 private:
  std::array<bool, kBytes> bytes_{};
};

TEST(RangeSet, AgreesWithAFlagForEachByte) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    RangeSet set;
    Model model;
    const auto range = [&] {
      const uint64_t begin = random() % kBytes, length = random() % (seed % 2 == 0 ? 8 : 60);
      return Range{begin, std::min(begin + length, kBytes)};
    };
    for (int step = 0; step < 200; ++step) {
      const Range changed = range(), asked = range();
      const bool adds = random() % 3 != 0;
      adds ? set.add(changed) : set.remove(changed);
      model.set(changed, adds);
      ASSERT_EQ(set.ranges(), model.within({0, kBytes}));
      ASSERT_EQ(set.within(asked), model.within(asked));
      const std::vector<Range> all = model.within(asked);
      ASSERT_EQ(set.touches(asked), !all.empty());
      ASSERT_EQ(set.covers(asked), asked.begin == asked.end || (all.size() == 1 && all[0] == asked));
      uint64_t bytes = 0;
      for (const Range& each : set.ranges()) bytes += each.end - each.begin;
      ASSERT_EQ(set.bytes(), bytes);
    }
  }
}

TEST(RangeSet, IsMadeCoarserWithoutLosingAnything) {
  std::mt19937 random(1);
  for (size_t most = 1; most < 20; ++most) {
    RangeSet set;
    for (int i = 0; i < 100; ++i) {
      const uint64_t begin = random() % 10'000;
      set.add({begin, begin + 1 + random() % 20});
    }
    RangeSet coarse = set;
    coarse.coarsen(most);
    EXPECT_LE(coarse.size(), most);
    for (const Range& each : set.ranges()) EXPECT_TRUE(coarse.covers(each));
    EXPECT_EQ(coarse.ranges().front().begin, set.ranges().front().begin);
    EXPECT_EQ(coarse.end(), set.end());
  }
}

}  // namespace
}  // namespace headrace::forward
