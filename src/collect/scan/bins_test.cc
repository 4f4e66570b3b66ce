#include "collect/scan/bins.h"

#include <gtest/gtest.h>

namespace headrace::collect {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();

TEST(Bins, PowersBeginAtTheirOwn) {
  EXPECT_EQ(bucket_of(Bins::kPowers, kLeast), 0);
  EXPECT_EQ(bucket_of(Bins::kPowers, 0), 0);
  EXPECT_EQ(bucket_of(Bins::kPowers, 1), 1);
  for (int bucket = 2; bucket < kPowerBins; ++bucket) {
    const int64_t low = int64_t{1} << (bucket - 1);
    EXPECT_EQ(bucket_of(Bins::kPowers, low), bucket);
    EXPECT_EQ(bucket_of(Bins::kPowers, low - 1), bucket - 1);
  }
  EXPECT_EQ(bucket_of(Bins::kPowers, kMost), kPowerBins - 1);
}

TEST(Bins, AgesHaveEdgesAtDaysAndOneForTheFuture) {
  EXPECT_EQ(bucket_of(Bins::kAges, -1), -1);
  EXPECT_EQ(bucket_of(Bins::kAges, kLeast), -1);
  EXPECT_EQ(bucket_of(Bins::kAges, kAgeWidth - 1), 0);
  EXPECT_EQ(bucket_of(Bins::kAges, kAgeWidth), 1);
  EXPECT_EQ(bucket_of(Bins::kAges, 86400 - 1), 7);
  EXPECT_EQ(bucket_of(Bins::kAges, 86400), 8);
  EXPECT_LT(bucket_of(Bins::kAges, kMost), kAgeBins - 1);
}

TEST(Bins, StepsEndInOneWithoutEnd) {
  EXPECT_EQ(bucket_of(Bins::kSteps, 7), 0);
  EXPECT_EQ(bucket_of(Bins::kSteps, 8), 1);
  EXPECT_EQ(bucket_of(Bins::kSteps, kMost), kStepBins - 1);
}

TEST(Bins, EachHasAPlaceOfItsOwn) {
  std::vector<bool> taken(kAllBins);
  for (size_t i = 0; i < kHistograms; ++i) {
    const HistogramInfo& info = kHistogramInfos[i];
    for (size_t place = info.first; place < info.first + size_t{bins_of(info.bins)}; ++place) {
      EXPECT_EQ(place_of(static_cast<Histogram>(i), bucket_at(info, place)), place);
      EXPECT_FALSE(taken[place]);
      taken[place] = true;
    }
  }
  EXPECT_EQ(std::count(taken.begin(), taken.end(), false), 0);
}

TEST(Bins, SumsEndAtTheEdges) {
  EXPECT_EQ(add_capped(kMost, 1), kMost);
  EXPECT_EQ(add_capped(kMost - 1, 1), kMost);
  EXPECT_EQ(add_capped(kLeast, -1), kLeast);
  EXPECT_EQ(add_capped(kLeast, kMost), -1);
  Bin bin;
  for (int i = 0; i < 3; ++i) bin.add(kMost / 2, kMost / 2, 0);
  EXPECT_EQ(bin.bytes, kMost);
  EXPECT_EQ(bin.total, kMost);
  EXPECT_EQ(bin.files, 3);
}

}  // namespace
}  // namespace headrace::collect
