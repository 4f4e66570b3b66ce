#include "collect/devices/diskstats.h"

#include <gtest/gtest.h>

namespace headrace::collect {
namespace {

constexpr char kText[] =
    "   8       0 sda 10 1 20 30 40 2 50 60 0 70 80 9 9 9 9 9 9\n"
    "   8       1 sda1 1 1 1 1 1 1 1 1 1 1 1\n"
    " 259       0 nvme0n1 1 0 2 3 4 0 5 6 0 7 8\n"
    " 259       1 nvme0n1p1 1 0 2 3 4 0 5 6 0 7 8\n"
    "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"
    " 253       0 zram0 0 0 0 0 0 0 0 0 0 0 0\n"
    "   9       1 md1 1 0 2 3 4 0 5 6 0 7 8\n"
    "   9      10 md10 1 0 2 3 4 0 5 6 0 7 8\n";

Look look_at(std::string_view text, std::vector<std::string> keep = {}, std::vector<std::string> leave_out = {}) {
  Look look;
  look.begin({});
  std::vector<std::string_view> names;
  DeviceFilter filter(std::move(keep), std::move(leave_out));
  parse_diskstats(text, filter, names, look);
  return look;
}

std::string names_of(const Look& look) {
  std::string names;
  for (size_t i = 0; i < look.device_count; ++i) names += look.devices[i].device + " ";
  return names;
}

TEST(Diskstats, TakesWholeDisksAndTheirCounters) {
  const Look look = look_at(kText);
  EXPECT_EQ(names_of(look), "sda nvme0n1 md1 md10 ");
  EXPECT_EQ(look.devices[0].counters, (Counters{10, 20 * 512, 40, 50 * 512, 30, 60, 70, 80, kNotKnown}));
  EXPECT_TRUE(look.whole);
}

TEST(Diskstats, PatternsChoose) {
  EXPECT_EQ(names_of(look_at(kText, {}, {"sd*", "md1"})), "nvme0n1 md10 ");
  EXPECT_EQ(names_of(look_at(kText, {"loop*", "sda1"})), "sda1 loop0 ");
  EXPECT_EQ(names_of(look_at(kText, {"*"}, {"*1"})), "sda loop0 zram0 md10 ");
}

TEST(Diskstats, LinesOfOtherFormsAreCountedAndOthersKept) {
  for (const std::string& bad : std::vector<std::string>{
           "garbage", "8 0", "8 0 sdb 1 2 3", "8 0 sdb 1 2 x 4 5 6 7 8 9 10 11",
           "8 0 sdb 99999999999999999999 2 3 4 5 6 7 8 9 10 11", "-8 0 sdb 1 2 3 4 5 6 7 8 9 10 11",
           "8 0 " + std::string(100'000, 'x') + " 1 2 3 4 5 6 7 8 9 10 11",
           "8 0 sdb 1 2 9223372036854775807 4 5 6 7 8 9 10 11", std::string("8 0\0sdb", 7)}) {
    const Look look = look_at(bad + "\n" + kText);
    EXPECT_EQ(look.garbled, 1U) << bad.substr(0, 40);
    EXPECT_FALSE(look.whole);
    EXPECT_EQ(look.device_count, 4U);
  }
  EXPECT_EQ(look_at("").device_count, 0U);
  EXPECT_EQ(names_of(look_at("8 0 sda 1 2 3 4 5 6 7 8 9 10 11")), "sda ");
}

TEST(Diskstats, PartitionsAreToldByTheirNames) {
  EXPECT_TRUE(is_partition_of("sda1", "sda"));
  EXPECT_TRUE(is_partition_of("nvme0n1p12", "nvme0n1"));
  EXPECT_FALSE(is_partition_of("md10", "md1"));
  EXPECT_FALSE(is_partition_of("sdaa", "sda"));
  EXPECT_FALSE(is_partition_of("nvme0n1p", "nvme0n1"));
  EXPECT_FALSE(is_partition_of("sda", "sda"));
}

}  // namespace
}  // namespace headrace::collect
