// Sampling for months takes no more memory, descriptors and files than sampling for an hour.
#include <gtest/gtest.h>
#include <malloc.h>

#include <filesystem>
#include <fstream>

#include "collect/devices/sample_store.h"
#include "collect/devices/sources.h"
#include "collect/devices/tracker.h"

namespace headrace::collect {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSecond = 1'000'000, kMidnight = 20'000 * 86'400 * kSecond;

size_t entries(const std::string& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

/// What this process has asked for and not given back, in bytes; 0 under sanitizers, which keep what is given back.
size_t allocated() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

/// A host whose devices and jobs come and go, none twice under the same name.
class Host {
 public:
  explicit Host(StoreSettings settings) : settings_(std::move(settings)), tracker_(kSecond, "boot", {}) {
    std::vector<std::string> problems;
    auto opened = SampleStore::open(settings_, kMidnight, problems);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    if (opened.ok()) store_ = std::move(*opened);
  }
  /// So many samples, a second apart. `whole`: everything can be read in each.
  void sample(int count, bool whole = true) {
    for (int i = 0; i < count; ++i) {
      ++taken_;
      now_.real_us += kSecond, now_.boot_us += kSecond;
      look();
      look_.whole = whole;
      const base::Status added = store_->add(tracker_.compare(look_), now_.real_us);
      ASSERT_TRUE(added.ok()) << added.message();
      tracker_.commit();
    }
  }

 private:
  void look() {
    look_.begin(now_);
    for (int64_t disk = 0; disk < 8; ++disk) add("sd" + std::to_string(disk), Kind::kBlock);
    add("dm-" + std::to_string(taken_ / 7), Kind::kBlock);
    add("target", Kind::kLustreOst);
    for (int64_t job = 0; job < 5; ++job) {
      JobReading& reading = look_.add_job();
      reading.device = "target";
      reading.job = "job." + std::to_string(taken_ / 3 + job);
      reading.counters.fill(taken_ + job);
    }
  }
  void add(const std::string& device, Kind kind) {
    Reading& reading = look_.add_device();
    reading.kind = kind;
    reading.device = device;
    reading.counters.fill(taken_ * 4096);
  }

  StoreSettings settings_;
  Tracker tracker_;
  std::unique_ptr<SampleStore> store_;
  Look look_;
  Moment now_{kMidnight, kSecond};
  int64_t taken_ = 0;
};

class Months : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "headrace-months-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(directory_); }

  StoreSettings settings() const {
    StoreSettings settings;
    settings.directory = directory_;
    settings.host = "host";
    settings.boot = "boot";
    settings.run = 7;
    settings.tail_bytes = 32 << 10;
    settings.file_bytes = 64 << 10;
    return settings;
  }

  std::string directory_;
};

TEST_F(Months, MemoryAndDescriptorsStayAsTheyWere) {
  Host host(settings());
  host.sample(1000);
  const size_t bytes = allocated(), descriptors = entries("/proc/self/fd");
  host.sample(10'000);
  EXPECT_EQ(entries("/proc/self/fd"), descriptors);
  EXPECT_LT(allocated(), bytes + (64 << 10));
}

TEST_F(Months, MemoryStaysWhileSomethingCannotBeUnderstood) {
  Host host(settings());
  host.sample(5000, false);
  const size_t bytes = allocated();
  host.sample(10'000, false);
  EXPECT_LT(allocated(), bytes + (64 << 10));
}

TEST_F(Months, TargetsAndDisksThatWentLeaveNothingBehind) {
  const std::string mdt = directory_ + "/proc/fs/lustre/mdt/";
  fs::create_directories(mdt);
  Sources sources({.root = directory_, .diskstats = "", .keep = {}, .leave_out = {}});
  Look look;
  std::vector<std::string> problems;
  const auto see = [&](int turn) {
    const std::string name = "fs-MDT" + std::to_string(turn);
    fs::create_directory(mdt + name);
    std::ofstream(mdt + name + "/md_stats") << "open 1 samples [reqs]\n";
    std::ofstream(directory_ + "/proc/diskstats") << "8 0 disk" << turn << " 1 2 3 4 5 6 7 8 9 10 11\n";
    sources.look({kMidnight, turn * 3600 * kSecond}, look, problems);
    ASSERT_EQ(look.device_count, 2U);
    EXPECT_EQ(look.devices[0].device, "disk" + std::to_string(turn));
    EXPECT_EQ(look.devices[1].device, name);
    fs::remove_all(mdt + name);
  };
  for (int turn = 1; turn <= 20; ++turn) see(turn);
  const size_t descriptors = entries("/proc/self/fd");
  for (int turn = 21; turn <= 400; ++turn) see(turn);
  EXPECT_EQ(entries("/proc/self/fd"), descriptors);
  EXPECT_EQ(problems, std::vector<std::string>());
}

TEST_F(Months, NoFileIsMuchLargerThanAsked) {
  Host host(settings());
  host.sample(4000);
  EXPECT_GT(entries(directory_ + "/host"), 4U);
  for (const auto& file : fs::directory_iterator(directory_ + "/host"))
    EXPECT_LT(file.file_size(), settings().file_bytes + settings().tail_bytes) << file.path();
}

}  // namespace
}  // namespace headrace::collect
