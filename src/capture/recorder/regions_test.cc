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

}  // namespace
}  // namespace headrace::capture
