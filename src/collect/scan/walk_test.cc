// Whole scans, with several threads: also run under the thread sanitizer.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "collect/scan/made_state.h"
#include "collect/scan/scan.h"
#include "collect/scan/temporary.h"

namespace headrace::collect {
namespace {

namespace fs = std::filesystem;
using base::Code;

constexpr int kDirectories = 40, kFiles = 25;

class Walk : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < kDirectories; ++i) {
      const std::string name = "tree/d" + std::to_string(i % 7) + "/d" + std::to_string(i);
      for (int j = 0; j < kFiles; ++j) directory_.file(name + "/f" + std::to_string(j), static_cast<size_t>(j));
      fs::create_hard_link(directory_ / (name + "/f1"), directory_ / (name + "/link"));
      fs::create_directory_symlink("/", directory_ / (name + "/out"));
    }
    settings_.roots = {directory_ / "tree"};
    settings_.output = directory_ / "scan.hr";
    settings_.threads = 4;
    settings_.checkpoint_seconds = 0;
    settings_.rows = true;
  }
  static void check(const Scan& scan) {
    ASSERT_TRUE(scan.done());
    const Totals& totals = scan.totals();
    EXPECT_EQ(totals.files, kDirectories * kFiles);
    EXPECT_EQ(totals.bytes, kDirectories * kFiles * (kFiles - 1) / 2);
    EXPECT_EQ(totals.directories, 1 + 7 + kDirectories);
    EXPECT_EQ(totals.symlinks, kDirectories);
    EXPECT_EQ(totals.repeated_links, kDirectories);
    EXPECT_EQ(scan.rows(), static_cast<uint64_t>(1 + 7 + kDirectories * (kFiles + 3)));
    EXPECT_EQ(scan.complete(), "yes");
  }

  Temporary directory_;
  ScanSettings settings_;
};

TEST_F(Walk, CountsEverythingOnceWithAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 4U, 32U}) {
    settings_.threads = threads;
    auto scan = Scan::begin(settings_);
    ASSERT_TRUE(scan.ok()) << scan.message();
    int64_t seen = 0;
    const auto watch = [&](const Progress& now) {
      EXPECT_GE(now.entries, seen);
      seen = now.entries;
    };
    ASSERT_TRUE(scan->run(nullptr, watch).ok());
    check(*scan);
    scan->remove_parts();
    fs::remove(settings_.output);
  }
}

/// Stopped each time that it may stand still, from the start on and later.
TEST_F(Walk, GoesOnHoweverOftenItIsStopped) {
  bool resumes = false;
  for (int looks = 0;; ++looks) {
    ASSERT_LT(looks, 1000);
    auto scan = resumes ? Scan::resume(settings_) : Scan::begin(settings_);
    ASSERT_TRUE(scan.ok()) << scan.message();
    volatile sig_atomic_t stop = looks == 0;
    int left = looks;
    ASSERT_TRUE(scan->run(&stop, [&](const Progress&) { stop = --left <= 0; }).ok());
    if (scan->done()) return check(*scan);
    EXPECT_EQ(scan->complete(), "no: the scan has not ended");
    EXPECT_FALSE(fs::exists(settings_.output));
    resumes = true;
  }
}

/// Directories of the state are links now, which lead out of the tree.
Mount mount_at(const std::string& path, const std::string& below = "") {
  struct stat info{};
  EXPECT_EQ(stat((path + "/" + below).c_str(), &info), 0);
  return {info.st_dev, info.st_ino, 0, below};
}

TEST_F(Walk, WhatIsInPlaceOfAnOpenDirectoryIsNotTheRestOfIt) {
  const std::string root = settings_.roots[0];
  const auto [device, inode, number, path] = mount_at(root, "d0");
  settings_.rows = false;
  ScanState state;
  state.settings = settings_;
  state.mounts = {mount_at(root)};
  state.open = {{0, "d0", 0, 0, 0, 0, 0, device, inode}, {0, "d1", 0, 0, 0, 0, 0, device, inode + 1'000'000}};
  Pending pending(directory_.path());
  ASSERT_TRUE(write_state(state_path(settings_.output), state, &pending).ok());
  directory_.file("scan.hr.part.links", 0);
  auto scan = Scan::resume(settings_);
  ASSERT_TRUE(scan.ok()) << scan.message();
  ASSERT_TRUE(scan->run(nullptr, nullptr).ok());
  EXPECT_EQ(scan->totals().unreadable, 1);
  EXPECT_GT(scan->totals().files, 0);
  EXPECT_NE(scan->complete(), "yes");
}

TEST_F(Walk, AnotherFileSystemInPlaceOfTheRootIsNotGoneOnWith) {
  settings_.rows = false;
  ScanState state;
  state.settings = settings_;
  state.mounts = {mount_at(settings_.roots[0])};
  ++state.mounts[0].device;
  Pending pending(directory_.path());
  ASSERT_TRUE(write_state(state_path(settings_.output), state, &pending).ok());
  const auto scan = Scan::resume(settings_);
  EXPECT_EQ(scan.code(), Code::kInvalid);
}

TEST_F(Walk, AScanGoesOnOnlyWhereWhatItEnteredIs) {
  settings_.rows = false;
  const std::string root = settings_.roots[0];
  std::vector<Mount> gone = {mount_at(root, "d0"), mount_at(root, "d0"), mount_at(root, "d0")};
  ++gone[0].inode;         // another file system in its place, or the empty mount point
  gone[1].path = "none";   // the mount point is gone too
  gone[2].path = "d0/d0";  // what is there now is something else
  for (size_t i = 0; i <= gone.size(); ++i) {
    ScanState state;
    state.settings = settings_;
    state.mounts = {mount_at(root), i < gone.size() ? gone[i] : mount_at(root, "d0")};
    Pending pending(directory_.path());
    ASSERT_TRUE(write_state(state_path(settings_.output), state, &pending).ok());
    EXPECT_EQ(Scan::resume(settings_).ok(), i == gone.size()) << i;
  }
}

TEST_F(Walk, TheNextStateIsNotWrittenThroughALink) {
  const std::string kept = directory_ / "kept";
  std::ofstream(kept) << "dear";
  fs::create_symlink(kept, state_path(settings_.output) + ".new");
  ScanState state;
  state.settings = settings_;
  Pending pending(directory_.path());
  ASSERT_TRUE(write_state(state_path(settings_.output), state, &pending).ok());
  std::string text;
  std::ifstream(kept) >> text;
  EXPECT_EQ(text, "dear");
}

TEST_F(Walk, LinksInPlaceOfDirectoriesAreNotFollowed) {
  for (const char* name : {"waits", "open"})
    fs::create_directory_symlink("d0", directory_ / ("tree/" + std::string(name)));
  ScanState state;
  state.settings = settings_;
  state.settings.rows = settings_.rows = false;
  state.mounts = {mount_at(settings_.roots[0])};
  state.open = {{0, "open", 0, 0, 0}, {0, "open/d0", 0, 0, 0}};
  Pending pending(directory_.path());
  using namespace std::string_literals;
  ASSERT_TRUE(pending.push(0, "", "waits\0gone\0"s).ok());
  ASSERT_TRUE(pending.push(0, "open", "d0\0"s).ok());
  ASSERT_TRUE(pending.push(0, "d1", "d1\0"s).ok());
  ASSERT_TRUE(write_state(state_path(settings_.output), state, &pending).ok());
  directory_.file("scan.hr.part.links", 0);
  auto scan = Scan::resume(settings_);
  ASSERT_TRUE(scan.ok()) << scan.message();
  ASSERT_TRUE(scan->run(nullptr, nullptr).ok());
  EXPECT_EQ(scan->totals().vanished, 5);
  EXPECT_EQ(scan->totals().directories, 1);
  EXPECT_EQ(scan->totals().files, kFiles);
  EXPECT_EQ(scan->complete(), "yes");
}

TEST_F(Walk, AFileSystemThatWasEnteredIsNotEnteredAgain) {
  struct stat above, mounted;
  if (stat("/dev", &above) != 0 || stat("/dev/pts", &mounted) != 0 || above.st_dev == mounted.st_dev) GTEST_SKIP();
  for (const bool entered : {false, true}) {
    ScanState state;
    state.settings = settings_;
    state.settings.roots = settings_.roots = {"/dev"};
    state.settings.rows = settings_.rows = false;
    state.settings.cross_mounts = true;
    state.mounts = {mount_at("/dev")};
    if (entered) state.mounts.push_back(mount_at("/dev", "pts"));
    Pending pending(directory_.path());
    ASSERT_TRUE(pending.push(0, "", std::string("pts\0", 4)).ok());
    ASSERT_TRUE(write_state(state_path(settings_.output), state, &pending).ok());
    auto scan = Scan::resume(settings_);
    ASSERT_TRUE(scan.ok() && scan->run(nullptr, nullptr).ok()) << scan.message();
    EXPECT_EQ(scan->totals().mounts, entered ? 1 : 0);
    EXPECT_EQ(scan->totals().directories, entered ? 0 : 1);
  }
}

TEST_F(Walk, WhatDoesNotFitIsRefused) {
  ScanSettings other = settings_;
  other.roots.push_back(settings_.roots[0] + "/d0");
  EXPECT_EQ(Scan::begin(other).code(), Code::kInvalid);
  other.roots = {directory_ / "none"};
  EXPECT_EQ(Scan::begin(other).code(), Code::kIo);
  EXPECT_EQ(Scan::resume(settings_).code(), Code::kNotFound);
  volatile sig_atomic_t stop = 1;
  {
    auto scan = Scan::begin(settings_);
    ASSERT_TRUE(scan.ok() && scan->run(&stop, nullptr).ok());
  }
  EXPECT_EQ(Scan::begin(settings_).code(), Code::kInvalid);
  other.roots = {directory_.path()};
  EXPECT_EQ(Scan::resume(other).code(), Code::kInvalid);
  fs::remove(rows_path(settings_.output));
  EXPECT_TRUE(Scan::resume(settings_).ok());  // nothing of it was needed yet
}

}  // namespace
}  // namespace headrace::collect
