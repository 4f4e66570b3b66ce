#include "collect/devices/sample_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "collect/devices/left_files.h"
#include "format/reader.h"

namespace headrace::collect {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int64_t kStoreSecond = 1'000'000, kDay = 86'400 * kStoreSecond, kNoon = 20'000 * kDay + kDay / 2;

class Store : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "headrace-samples-XXXXXX").string();
    directory_ = mkdtemp(name.data());
    settings_.directory = directory_;
    settings_.host = "host";
    settings_.boot = "boot";
    settings_.run = 7;
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::unique_ptr<SampleStore> open(int64_t now_us = kNoon) {
    std::vector<std::string> problems;
    auto store = SampleStore::open(settings_, now_us, problems);
    EXPECT_TRUE(store.ok()) << store.status().message();
    EXPECT_EQ(problems, std::vector<std::string>());
    return store.ok() ? std::move(*store) : nullptr;
  }
  /// One device that did `reads`, from one second to the next.
  static Rows sample(uint64_t tick, int64_t reads, int64_t now_us) {
    Rows rows;
    rows.samples.kind = {"block"};
    rows.samples.device = {"sda"};
    rows.samples.times.add(tick, now_us - kStoreSecond, now_us);
    for (auto& column : rows.samples.counters) column = {reads};
    return rows;
  }
  static void add(SampleStore& store, uint64_t tick) {
    const int64_t now_us = kNoon + static_cast<int64_t>(tick) * kStoreSecond;
    const base::Status added = store.add(sample(tick, static_cast<int64_t>(tick), now_us), now_us);
    EXPECT_TRUE(added.ok()) << added.message();
  }
  std::vector<std::string> files(const std::string& end) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory_ + "/host")) {
      if (entry.path().string().ends_with(end)) found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  /// The reads of all rows of a file; empty when it has no such table.
  static std::vector<uint64_t> reads(const std::string& path) {
    auto reader = format::Reader::open(path);
    if (!reader.ok()) return {};
    EXPECT_TRUE(reader->damage().empty());
    const auto table = reader->table("samples");
    std::vector<uint64_t> all;
    for (uint64_t row = 0; table.ok() && row < table->rows; ++row) all.push_back(table->find("reads")->u64(row));
    return all;
  }

  std::string directory_;
  StoreSettings settings_;
};

using Reads = std::vector<uint64_t>;

TEST_F(Store, ASampleIsInTheTailAtOnceAndInTheFileAtTheEnd) {
  auto store = open();
  add(*store, 1);
  add(*store, 2);
  EXPECT_EQ(reads(files(".tail.hr").at(0)), (Reads{1, 2}));
  EXPECT_TRUE(store->close().ok());
  EXPECT_EQ(files(".hr").size(), 1U);
  EXPECT_EQ(reads(files(".hr").at(0)), (Reads{1, 2}));
}

TEST_F(Store, AFullTailMovesToTheFile) {
  settings_.tail_bytes = 1;
  auto store = open();
  for (uint64_t tick = 1; tick <= 5; ++tick) add(*store, tick);
  EXPECT_EQ(reads(files(".open.hr").at(0)), (Reads{1, 2, 3, 4}));
  EXPECT_EQ(reads(files(".tail.hr").at(0)), (Reads{5}));
}

TEST_F(Store, AKilledRunsSamplesAreFinishedByTheNext) {
  settings_.tail_bytes = 1500;
  auto killed = open();
  for (uint64_t tick = 1; tick <= 9; ++tick) add(*killed, tick);
  killed.reset();
  settings_.run = 8;
  auto store = open(kNoon + 60 * kStoreSecond);
  ASSERT_TRUE(store->earlier().has_value());
  EXPECT_EQ(store->earlier()->end_us, kNoon + 9 * kStoreSecond);
  EXPECT_EQ(store->earlier()->boot, "boot");
  const auto finished = files("0000000000000007.hr");
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(reads(finished[0]), (Reads{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(files(".tail.hr").size(), 1U);
}

TEST_F(Store, WhateverWasCutOffInAKillNothingCountsTwiceAndNothingIsTorn) {
  settings_.tail_bytes = 1500;
  auto killed = open();
  for (uint64_t tick = 1; tick <= 9; ++tick) add(*killed, tick);
  killed.reset();
  const std::string tail = files(".tail.hr").at(0), file = files(".open.hr").at(0),
                    base = file.substr(0, file.size() - 8);
  const fs::path kept = directory_ + "/kept";
  fs::copy(directory_ + "/host", kept);
  const auto least = reads(file).size();
  for (uintmax_t size = fs::file_size(tail); size-- > 0;) {
    fs::copy(kept, directory_ + "/host", fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    fs::resize_file(tail, size);
    std::ofstream(file, std::ios::app) << "a chunk that was";  // being written
    ASSERT_TRUE(finish_left_file(base).ok());
    const Reads found = reads(base + ".hr");
    ASSERT_GE(found.size(), least);
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], i + 1);
    fs::remove(base + ".hr");
    size -= std::min<uintmax_t>(size, 12);
  }
}

TEST_F(Store, SamplesThatWereStoredWhenTheTailWasNotYetEmptiedCountOnce) {
  settings_.tail_bytes = 1500;
  auto killed = open();
  for (uint64_t tick = 1; tick <= 3; ++tick) add(*killed, tick);
  const std::string tail = files(".tail.hr").at(0);
  const fs::path before = directory_ + "/before";
  fs::copy(tail, before);
  EXPECT_TRUE(killed->close().ok());
  const std::string file = files(".hr").at(0), base = file.substr(0, file.size() - 3);
  fs::rename(file, base + ".open.hr");
  fs::copy(before, tail);
  EXPECT_TRUE(finish_left_file(base).ok());
  EXPECT_EQ(reads(base + ".hr"), (Reads{1, 2, 3}));
}

TEST_F(Store, ARunThatWasKilledBeforeItsFirstChunkLeavesNothing) {
  fs::create_directories(directory_ + "/host");
  std::ofstream(directory_ + "/host/a.open.hr").flush();
  std::ofstream(directory_ + "/host/a.tail.hr").flush();
  auto store = open();
  EXPECT_FALSE(store->earlier().has_value());
  EXPECT_FALSE(fs::exists(directory_ + "/host/a.open.hr"));
}

TEST_F(Store, ANewDayAndAFullFileBeginAnother) {
  auto store = open(kNoon);
  add(*store, 1);
  EXPECT_TRUE(store->add(sample(2, 2, kNoon + kDay), kNoon + kDay).ok());
  EXPECT_EQ(files("Z-0000000000000007.hr").size(), 1U);
  EXPECT_TRUE(store->close().ok());
  store.reset();
  settings_.file_bytes = 1;
  store = open(kNoon);
  for (uint64_t tick = 1; tick <= 3; ++tick) add(*store, tick);
  EXPECT_TRUE(store->close().ok());
  EXPECT_EQ(files(".hr").size(), 6U);
}

TEST_F(Store, OldFilesAreRemovedWhenAsked) {
  const auto now = fs::file_time_type::clock::now();
  const std::vector<int> hours = {220, 90, 48, 24, 0};
  for (size_t i = 0; i < hours.size(); ++i) {
    settings_.run = 0xa0 + i;
    auto store = open();
    add(*store, 1);
    ASSERT_TRUE(store->close().ok());
    fs::last_write_time(files("a" + std::to_string(i) + ".hr").at(0), now - 1h * hours[i]);
  }
  settings_.keep_days = 3;
  open(static_cast<int64_t>(time(nullptr)) * kStoreSecond);
  EXPECT_EQ(files("a0.hr").size(), 0U);
  EXPECT_EQ(files("a1.hr").size(), 1U);  // it is not yet 3 days older than the last but one
  EXPECT_EQ(files("a4.hr").size(), 1U);
}

TEST_F(Store, AClockThatIsWrongForAWhileRemovesNothing) {
  settings_.keep_days = 3;
  for (const uint64_t run : {0xa1, 0xa2, 0xa3}) {
    settings_.run = run;
    auto store = open();
    add(*store, 1);
    ASSERT_TRUE(store->close().ok());
  }
  fs::last_write_time(files("a3.hr").at(0), fs::file_time_type::clock::now() + 24h * 20'000);
  settings_.run = 0xa4;
  open(static_cast<int64_t>(time(nullptr)) * kStoreSecond + 20'000 * kDay);
  EXPECT_EQ(files("a1.hr").size() + files("a2.hr").size() + files("a3.hr").size(), 3U);
}

/// While it is there, no file grows beyond so many bytes.
class SizeLimit {
 public:
  explicit SizeLimit(uint64_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(Store, WhatDoesNotFitIntoTheTailIsTakenBack) {
  auto store = open();
  add(*store, 1);
  const std::string tail = files(".tail.hr").at(0);
  const uint64_t size = fs::file_size(tail);
  {
    const SizeLimit limit(size + 10);
    EXPECT_FALSE(store->add(sample(2, 2, kNoon), kNoon).ok());
  }
  EXPECT_EQ(fs::file_size(tail), size);
  add(*store, 2);
  EXPECT_EQ(reads(tail), (Reads{1, 2}));
}

TEST_F(Store, WhateverDoesNotFitIntoTheFileNothingIsLostOrThereTwice) {
  settings_.tail_bytes = 1;
  bool failed = false, closed = false;
  for (uint64_t more = 1; !closed; more += 7) {
    ASSERT_LT(more, 10'000U);
    settings_.run = more;
    auto store = open();
    for (uint64_t tick = 1; tick <= 9; ++tick) add(*store, tick);
    const std::string base = files(".open.hr").at(0);
    {
      const SizeLimit limit(fs::file_size(base) + more);
      closed = store->close().ok() && reads(files(".hr").at(0)).size() == 9;
      failed = failed || !closed;
    }
    if (const auto open = files(".open.hr"); !open.empty()) {
      add(*store, 10);  // it works again
      EXPECT_TRUE(store->close().ok());
      EXPECT_EQ(reads(files(".hr").at(0)), (Reads{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})) << more;
    } else {
      EXPECT_EQ(reads(files(".hr").at(0)), (Reads{1, 2, 3, 4, 5, 6, 7, 8, 9})) << more;
    }
    store.reset();
    fs::remove_all(directory_ + "/host");
  }
  EXPECT_TRUE(failed);
}

TEST_F(Store, AnotherMonitorOfTheHostIsRefused) {
  auto store = open();
  std::vector<std::string> problems;
  const auto second = SampleStore::open(settings_, kNoon, problems);
  EXPECT_EQ(second.code(), base::Code::kInvalid);
  EXPECT_NE(second.status().message().find("another monitor writes here (process " + std::to_string(getpid())),
            std::string::npos);
}

TEST(HostDirectory, IsAlwaysOneDirectory) {
  EXPECT_EQ(host_directory("node-1.site"), "node-1.site");
  EXPECT_EQ(host_directory("../../etc"), ".._.._etc");
  EXPECT_EQ(host_directory(".."), "_");
  EXPECT_EQ(host_directory(""), "_");
}

}  // namespace
}  // namespace headrace::collect
