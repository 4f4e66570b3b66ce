#include "collect/devices/sources.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "collect/devices/tracker.h"

namespace headrace::collect {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kTick = 10'000'000, kPatience = 60'000'000;

/// A host's /proc and /sys, and what is sampled of them.
class SourcesHost : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "headrace-host-XXXXXX").string();
    root_ = mkdtemp(name.data());
    fs::create_directories(root_ + "/proc");
    sources_ = std::make_unique<Sources>(SourceSettings{.root = root_, .diskstats = "", .keep = {}, .leave_out = {}});
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string holders(const std::string& disk) { return root_ + "/sys/block/" + disk + "/holders"; }
  void join(const std::string& disk) { fs::create_directories(holders(disk) + "/md0"); }
  void leave(const std::string& disk) { fs::remove(holders(disk) + "/md0"); }

  /// What is said after `us` more: "device reads; " of each sample, "!device reason; " of each gap.
  std::string after(int64_t us) {
    std::ofstream file(root_ + "/proc/diskstats");
    for (const auto& [device, reads] : reads_) file << "8 0 " << device << " " << reads << " 0 2 3 4 0 5 6 0 7 8\n";
    file.close();
    now_.real_us += us;
    now_.boot_us += us;
    std::vector<std::string> problems;
    sources_->look(now_, look_, problems);
    EXPECT_TRUE(problems.empty());
    const Rows& rows = tracker_.compare(look_);
    std::string said;
    for (size_t i = 0; i < rows.samples.device.size(); ++i)
      said += std::string(rows.samples.device[i]) + " " + std::to_string(rows.samples.counters[kReads][i]) + "; ";
    for (size_t i = 0; i < rows.gaps.device.size(); ++i)
      said += "!" + rows.gaps.device[i] + " " + rows.gaps.reason[i] + "; ";
    if (stored_)
      tracker_.commit();
    else
      tracker_.lose();
    return said;
  }

  std::string root_;
  std::map<std::string, int> reads_;
  bool stored_ = true;
  std::unique_ptr<Sources> sources_;
  Tracker tracker_{kPatience, "boot", {}};
  Moment now_{1'000'000'000, 1'000'000'000};
  Look look_;
};

TEST_F(SourcesHost, ADiskThatJoinsAnArrayIsGoneAndOneThatLeavesBeginsAnew) {
  join("sda");
  reads_ = {{"md0", 10}, {"sda", 10}, {"sdc", 100}};
  after(0);
  reads_ = {{"md0", 11}, {"sda", 11}, {"sdc", 105}};
  EXPECT_EQ(after(kTick), "md0 1; sdc 5; ");
  join("sdc");  // mdadm --add: no name comes or goes
  reads_ = {{"md0", 13}, {"sda", 12}, {"sdc", 106}};
  EXPECT_EQ(after(kPatience), "md0 2; !sdc gone; ");
  reads_ = {{"md0", 15}, {"sda", 13}, {"sdc", 5000}};
  EXPECT_EQ(after(kPatience), "md0 2; ");
  leave("sdc");  // mdadm --remove
  reads_["sdc"] = 5001;
  EXPECT_EQ(after(kPatience), "md0 0; !sdc reset; ");
  reads_["sdc"] = 5004;
  EXPECT_EQ(after(kTick), "md0 0; sdc 3; ");
}

TEST_F(SourcesHost, DisksOfAnArrayThatIsStoppedBeginAnewAtOnce) {
  join("sda");
  reads_ = {{"md0", 10}, {"sda", 1000}};
  after(0);
  leave("sda");
  reads_ = {{"sda", 1001}};
  EXPECT_EQ(after(kTick), "!sda reset; !md0 gone; ");
  reads_ = {{"sda", 1003}};
  EXPECT_EQ(after(kTick), "sda 2; ");
}

TEST_F(SourcesHost, OneThatLeavesWhileAnotherDeviceComesCountsNothingOfTheTimeBefore) {
  join("sda");
  reads_ = {{"md0", 10}, {"sda", 1000}};
  after(0);
  leave("sda");
  reads_ = {{"md0", 10}, {"sda", 1001}, {"sdb", 3}};
  EXPECT_EQ(after(kTick), "md0 0; sdb 3; !sda reset; ");
  reads_["sda"] = 1005;
  EXPECT_EQ(after(kTick), "md0 0; sda 4; sdb 0; ");
}

TEST_F(SourcesHost, OneThatLeftCountsNothingOfTheTimeBeforeAlsoIfTheFirstLookIsLost) {
  join("sda");
  reads_ = {{"md0", 10}, {"sda", 1000}};
  after(0);
  leave("sda");
  stored_ = false;
  after(kPatience);
  stored_ = true;
  reads_["sda"] = 1007;
  EXPECT_EQ(after(kTick), "md0 0; ! lost; !sda reset; ");
  reads_["sda"] = 1008;
  EXPECT_EQ(after(kTick), "md0 0; sda 1; ");
}

class LustreHost : public SourcesHost {
 protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  static std::string reads(int count) { return "read_bytes " + std::to_string(count) + " samples [bytes] 1 9 90\n"; }
};

TEST_F(LustreHost, ATargetThatIsInTwoPlacesIsOne) {
  write("/proc/fs/lustre/obdfilter/fs-OST0/stats", reads(5));
  write("/sys/kernel/debug/lustre/obdfilter/fs-OST0/stats", reads(5));
  write("/sys/kernel/debug/lustre/obdfilter/fs-OST1/stats", reads(7));
  after(0);
  write("/proc/fs/lustre/obdfilter/fs-OST0/stats", reads(6));
  write("/sys/kernel/debug/lustre/obdfilter/fs-OST1/stats", reads(9));
  EXPECT_EQ(after(kTick / 2), "fs-OST0 1; fs-OST1 2; ");
  EXPECT_EQ(look_.device_count, 2U);
}

TEST_F(LustreHost, ALookWithoutAllJobsIsNotWhole) {
  const std::string target = "/proc/fs/lustre/obdfilter/fs-OST0";
  write(target + "/stats", reads(5));
  write(target + "/job_stats", "job_stats:\n");
  after(0);
  EXPECT_TRUE(look_.whole);
  write(target + "/job_stats", "job_stats:\n- job_id: a\n  what is this\n");
  after(kTick / 2);
  EXPECT_FALSE(look_.whole);
  EXPECT_EQ(look_.garbled, 1U);
}

TEST_F(LustreHost, HalfOfATargetsCountersAreNone) {
  const std::string target = "/proc/fs/lustre/obdfilter/fs-OST0";
  write(target + "/stats", reads(5));
  after(0);
  write(target + "/stats", reads(6) + "write_bytes 1 sam");
  EXPECT_EQ(after(kTick / 2), "");
  EXPECT_FALSE(look_.whole);
  write(target + "/stats", reads(7));
  EXPECT_EQ(after(kTick / 4), "fs-OST0 2; !fs-OST0 lost; ");
}

}  // namespace
}  // namespace headrace::collect
