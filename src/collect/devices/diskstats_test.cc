#include "collect/devices/diskstats.h"

#include <gtest/gtest.h>

#include <filesystem>

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
  DeviceFilter filter(std::move(keep), std::move(leave_out), "");
  parse_diskstats(text, filter, look);
  return look;
}

std::string names_of(const Look& look) {
  std::string names;
  for (size_t i = 0; i < look.device_count; ++i)
    names += look.devices[i].device + (look.devices[i].was_there ? "(was there) " : " ");
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
  EXPECT_EQ(names_of(look_at(kText, {"sd*"})), "sda ");
  EXPECT_EQ(names_of(look_at(kText, {"sd*", "sda?"})), "sda sda1 ");
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
  EXPECT_EQ(disk_of_partition("sda1"), "sda");
  EXPECT_EQ(disk_of_partition("nvme0n1p12"), "nvme0n1");
  EXPECT_EQ(disk_of_partition("md10"), "md");
  EXPECT_EQ(disk_of_partition("sdp1"), "sdp");
  EXPECT_EQ(disk_of_partition("nvme0n1p"), "");
  EXPECT_EQ(disk_of_partition("sda"), "");
  EXPECT_EQ(disk_of_partition("p1"), "p");
  EXPECT_EQ(disk_of_partition("1"), "");
}

class Stacks : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "headrace-block-XXXXXX").string();
    block_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(block_); }
  void hold(const std::string& part, const std::string& holder) {
    std::filesystem::create_directories(block_ + "/" + part + "/holders/" + holder);
  }
  std::string look(const std::string& text, DeviceFilter& filter) {
    Look look;
    look.begin({});
    parse_diskstats(text, filter, look);
    return names_of(look);
  }

  std::string block_;
};

TEST_F(Stacks, DisksThatOthersAreMadeOfAreLeftOut) {
  hold("sda", "dm-0");
  hold("sdb/sdb2", "dm-0");
  std::filesystem::create_directories(block_ + "/sdc/holders");
  hold("cciss!c0d0", "dm-0");
  std::string text;
  for (const char* name : {"sda", "sdb", "sdb2", "sdc", "cciss/c0d0", "dm-0"})
    text += "8 0 " + std::string(name) + " 1 0 2 3 4 0 5 6 0 7 8\n";
  DeviceFilter usual({}, {}, block_), asked({"sd*"}, {}, block_);
  EXPECT_EQ(look(text, usual), "sdc dm-0 ");
  EXPECT_EQ(look(text, asked), "sda sdb sdc ");
}

TEST_F(Stacks, WhatIsPutTogetherLaterCountsFromThenOn) {
  const std::string disk = "8 0 sda 1 0 2 3 4 0 5 6 0 7 8\n", raid = "9 0 md0 1 0 2 3 4 0 5 6 0 7 8\n";
  DeviceFilter filter({}, {}, block_);
  EXPECT_EQ(look(disk, filter), "sda ");
  hold("sda", "md0");
  EXPECT_EQ(look(disk + raid, filter), "md0 ");
}

TEST_F(Stacks, WhatJoinsOrLeavesWithoutANewNameIsSeenWhenItIsDoubted) {
  const std::string both = "8 0 sdc 1 0 2 3 4 0 5 6 0 7 8\n9 0 md0 1 0 2 3 4 0 5 6 0 7 8\n";
  DeviceFilter filter({}, {}, block_), asked({"sd*"}, {}, block_);
  EXPECT_EQ(look(both, filter), "sdc md0 ");
  hold("sdc", "md0");
  EXPECT_EQ(look(both, filter), "sdc md0 ");
  filter.doubt();
  asked.doubt();
  EXPECT_EQ(look(both, filter), "md0 ");
  EXPECT_EQ(look(both, asked), "sdc ");
  std::filesystem::remove(block_ + "/sdc/holders/md0");
  filter.doubt();
  EXPECT_EQ(look(both, filter), "sdc(was there) md0 ");
}

TEST_F(Stacks, DisksOfAnArrayThatWentAreTakenAgain) {
  const std::string disks = "8 0 sda 1 0 2 3 4 0 5 6 0 7 8\n8 16 sdb 1 0 2 3 4 0 5 6 0 7 8\n";
  const std::string raid = "9 0 md0 1 0 2 3 4 0 5 6 0 7 8\n";
  DeviceFilter filter({}, {}, block_);
  hold("sda", "md0");
  hold("sdb", "md0");
  EXPECT_EQ(look(disks + raid, filter), "md0 ");
  for (const char* disk : {"sda", "sdb"}) std::filesystem::remove(block_ + "/" + disk + "/holders/md0");
  EXPECT_EQ(look(disks, filter), "sda(was there) sdb(was there) ");
}

}  // namespace
}  // namespace headrace::collect
