#include "forward/backend/lustre.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "forward/backend/posix.h"

namespace headrace::forward {
namespace {

TEST(Lustre, LayoutsAreWhatItsHeaderSays) {
  // lmm_magic, lmm_pattern, lmm_oi, lmm_stripe_size, lmm_stripe_count, lmm_stripe_offset
  const LustreLayout expected = {0xd0, 0x0b, 0xd1, 0x0b, 1, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,    0,
                                 0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0x40, 0, 8, 0, 0xff, 0xff};
  EXPECT_EQ(lustre_layout({8, 4 << 20}), expected);
  LustreLayout all = expected;
  all[26] = 0;
  all[28] = all[29] = 0xff;
  EXPECT_EQ(lustre_layout({kAllStripes, 0}), all);
}

TEST(Lustre, WhatItDoesNotTakeIsNotAskedFor) {
  EXPECT_EQ(lustre_layout({}), std::nullopt);
  EXPECT_EQ(lustre_layout({0, 1000}), std::nullopt);
  EXPECT_EQ(lustre_layout({0, uint64_t{1} << 32}), std::nullopt);
  EXPECT_EQ(lustre_layout({2001, 0}), std::nullopt);
  EXPECT_EQ(lustre_layout({4, 1000}), lustre_layout({4, 0}));
}

/// A file system that is said to be Lustre, and refuses.
TEST(Lustre, WhereItCannotBeSetThatIsToldOnceAndFilesAreMade) {
  const std::string directory = testing::TempDir() + "lustre" + std::to_string(getpid());
  std::filesystem::create_directories(directory);
  std::vector<std::string> notes;
  PosixBackend::Options options;
  options.hints = {4, 1 << 20};
  options.note = [&](const std::string& text) { notes.push_back(text); };
  for (const bool stripes : {false, true}) {
    options.assume_lustre = stripes;
    auto backend = PosixBackend::make({directory}, options);
    ASSERT_TRUE(backend.ok());
    const File root = root_file(0);
    for (const char* name : {"a", "b", "a"}) {
      const auto made = (*backend)->create({root, name}, {0, 0640, {}});
      ASSERT_TRUE(made.ok());
      EXPECT_EQ(made->attributes.mode & 07777, 0640u);
      const auto opened = (*backend)->open(made->file, true);
      ASSERT_TRUE(opened.ok());
      EXPECT_EQ((*opened)->write({0, 3}, reinterpret_cast<const uint8_t*>("abc")).bytes, 3u);
    }
    EXPECT_EQ((*backend)->create({root, "a"}, {kTruncate, 0640, {}})->attributes.size, 0u);
    EXPECT_EQ((*backend)->create({root, "a"}, {kExclusive, 0640, {}}).error(), EEXIST);
    EXPECT_EQ(notes.size(), stripes ? 1u : 0u);
    std::filesystem::remove(directory + "/a");
    std::filesystem::remove(directory + "/b");
  }
  EXPECT_NE(notes.at(0).find("striping"), std::string::npos) << notes[0];
  std::filesystem::remove_all(directory);
}

/// Flags of this process's descriptor of a file, -1 when it has none.
int flags_of_open(const std::string& path) {
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(each.path(), error) != path) continue;
    return fcntl(std::stoi(each.path().filename()), F_GETFL);
  }
  return -1;
}

/// Such a file has no objects to write to until it is opened again.
TEST(Lustre, WhereItCannotBeSetFilesAreNotKeptOpenAsThoseWithoutObjects) {
  const std::string directory =
      std::filesystem::canonical(testing::TempDir()).string() + "/objects" + std::to_string(getpid());
  std::filesystem::create_directories(directory);
  PosixBackend::Options options;
  options.hints = {4, 1 << 20};
  options.assume_lustre = true;
  auto backend = PosixBackend::make({directory}, options);
  ASSERT_TRUE(backend.ok());
  for (const uint32_t mode : {0644, 0444, 0200, 0}) {
    const std::string name = "f" + std::to_string(mode);
    const auto made = (*backend)->create({root_file(0), name}, {kExclusive, mode, {}});
    ASSERT_TRUE(made.ok());
    const int flags = flags_of_open(directory + "/" + name);
    ASSERT_NE(flags, -1);
    EXPECT_EQ(flags & (O_ASYNC | O_ACCMODE), O_RDWR);
    // Whoever made it may write to it, whatever its mode, also when it has lost its name.
    EXPECT_EQ((*backend)->remove({root_file(0), name}, false), 0);
    const auto opened = (*backend)->open(made->file, true);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ((*opened)->write({0, 3}, reinterpret_cast<const uint8_t*>("abc")).bytes, 3u);
    EXPECT_EQ((*opened)->attributes()->mode & 07777, mode);
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace headrace::forward
