#include "convert/darshan/placement.h"

#include <gtest/gtest.h>

namespace headrace::convert::darshan {
namespace {

using Ranges = std::array<std::array<uint64_t, kRanges>, 2>;

uint64_t in_bucket(const model::FileRecord& record, uint32_t direction, uint64_t size) {
  return record.sizes[direction].counts[model::SizeHistogram::bucket_of(size)];
}

TEST(DarshanPlacement, RangesAreDarshans) {
  EXPECT_EQ(range_of(0), 0u);
  EXPECT_EQ(range_of(100), 0u);
  EXPECT_EQ(range_of(101), 1u);
  EXPECT_EQ(range_of(1024), 1u);
  EXPECT_EQ(range_of(1u << 20), 4u);
  EXPECT_EQ(range_of((1u << 30) + 1), 9u);
}

TEST(DarshanPlacement, CommonSizesStandWhereTheyBelong) {
  Ranges ranges{};
  ranges[model::kWrite][2] = 10;  // 1 KiB–10 KiB
  const CommonAccess common[] = {{4096, 7}};
  model::FileRecord record;
  EXPECT_EQ(place_sizes(ranges, common, record), 3u);
  EXPECT_EQ(in_bucket(record, model::kWrite, 4096), 7u);
  EXPECT_EQ(in_bucket(record, model::kWrite, 10240), 3u);
  EXPECT_FALSE(record.common_sizes[model::kWrite].exact);
}

TEST(DarshanPlacement, ReadsAndWritesOfOneSizeAreToldApartOnlyWithoutDoubt) {
  Ranges ranges{};
  ranges[model::kRead][2] = 4;
  ranges[model::kWrite][2] = 6;
  model::FileRecord all, some;
  EXPECT_EQ(place_sizes(ranges, std::array{CommonAccess{4096, 10}}, all), 0u);
  EXPECT_EQ(in_bucket(all, model::kRead, 4096), 4u);
  EXPECT_EQ(in_bucket(all, model::kWrite, 4096), 6u);
  EXPECT_EQ(place_sizes(ranges, std::array{CommonAccess{4096, 9}}, some), 10u);
}

TEST(DarshanPlacement, SenselessCountsAreIgnored) {
  model::FileRecord record;
  const CommonAccess common[] = {{-5, 3}, {5, -3}, {INT64_MAX, INT64_MAX}};
  EXPECT_EQ(place_sizes({}, common, record), 0u);
  EXPECT_EQ(record.sizes[model::kRead].total(), 0u);
}

}  // namespace
}  // namespace headrace::convert::darshan
