// Regions of one thread, at times that the test makes up.
#include "capture/recorder/regions.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "base/hash.h"
#include "capture/recorder/events.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

class RegionsThatLast : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    base_ = std::filesystem::temp_directory_path() / ("headrace-regions-" + std::to_string(getpid()));
    std::filesystem::create_directories(base_);
    setenv("HEADRACE_SPOOL", base_.c_str(), 1);
    setenv("HEADRACE_TRACE", "1", 1);
    setenv("HEADRACE_TRACE_LONGER", "1s", 1);
    ASSERT_TRUE(ready());
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(base_); }

  /// How many more count as short.
  static uint64_t short_ones(uint64_t from, uint64_t to) {
    Update update;
    EXPECT_TRUE(update.enter());
    const uint64_t before = block->accounts[static_cast<uint32_t>(Account::kShort)];
    record_enter("step", 4, from);
    record_leave(base::hash_text({"step", 4}), to);
    const uint64_t found = block->accounts[static_cast<uint32_t>(Account::kShort)] - before;
    update.leave();
    return found;
  }

  static inline std::filesystem::path base_;
};

TEST_F(RegionsThatLast, AreRecordedAndShortOnesAreCounted) {
  constexpr uint64_t kHour = uint64_t{3600} * 1'000'000'000;
  EXPECT_EQ(short_ones(kHour, 2 * kHour), 0u);
  EXPECT_EQ(short_ones(kHour, kHour + 1), 1u);
}

TEST_F(RegionsThatLast, AShortOneThatEndsBeforeItBeginsIsShort) {
  EXPECT_EQ(short_ones(2000, 1000), 1u) << "counters of two processors may differ";
}

/// More open regions than there is memory for their places.
class RegionsBeyondAll : public RegionsThatLast {
 protected:
  static constexpr uint32_t kPlaces = kOpenRegions + kDeepRegions;

  void SetUp() override {
    outer_ = region_number(RegionKind::kRegion, "outer");
    inner_ = region_number(RegionKind::kRegion, "inner");
    enter_region(outer_);
    for (uint32_t i = 0; i < kPlaces + 99; ++i) enter_region(inner_);
  }
  void TearDown() override { leave_all_regions(); }

  static uint32_t depth() { return self->regions.depth; }
  static uint64_t account(Account which) { return block->accounts[static_cast<uint32_t>(which)]; }

  uint32_t outer_ = 0, inner_ = 0;
};

TEST_F(RegionsBeyondAll, AreLeftOneByOne) {
  EXPECT_EQ(depth(), kPlaces + 100);
  for (uint32_t i = 0; i < 200; ++i) leave_region(inner_);
  EXPECT_EQ(depth(), kPlaces - 100);
}

TEST_F(RegionsBeyondAll, EndWithAnOuterOne) {
  const uint64_t before = account(Account::kCut);
  leave_region(outer_);
  EXPECT_EQ(depth(), 0u);
  EXPECT_EQ(account(Account::kCut) - before, kPlaces + 99u);
}

TEST_F(RegionsBeyondAll, AreNotLeftByTheEndOfWhatIsNotOpen) {
  const uint64_t before = account(Account::kStray);
  leave_region(region_number(RegionKind::kRegion, "other"));
  EXPECT_EQ(depth(), kPlaces + 100);
  EXPECT_EQ(account(Account::kStray) - before, 1u);
}

TEST_F(RegionsBeyondAll, EndWithAPhaseAroundThem) {
  leave_all_regions();
  Update update;
  ASSERT_TRUE(update.enter());
  record_enter("step", 4, 1000);
  update.leave();
  for (uint32_t i = 0; i < kPlaces + 50; ++i) enter_region(inner_);
  ASSERT_TRUE(update.enter());
  record_leave(base::hash_text({"step", 4}), 2000);
  update.leave();
  EXPECT_EQ(depth(), 0u);
}

TEST(BeyondRegions, KnowAFewNumbersAndHowManyOthersThereAre) {
  BeyondRegions beyond{};
  EXPECT_FALSE(beyond.leave(1));
  EXPECT_FALSE(beyond.leave(0));
  for (uint32_t number = 1; number <= 9; ++number) beyond.enter(number);
  EXPECT_TRUE(beyond.leave(3));
  EXPECT_TRUE(beyond.leave(3)) << "it may be the ninth";
  EXPECT_FALSE(beyond.leave(3));
  EXPECT_TRUE(beyond.leave(0));
}

}  // namespace
}  // namespace headrace::capture
