#include "capture/harvest/file_layout.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace headrace::capture {
namespace {

Mount mount_of(const std::string& type) { return {7, "/scratch", type, "mds:/x", "rw"}; }

TEST(FileLayouts, OnlyWhereThereAreAny) {
  for (const char* type : {"lustre", "fuse.lustre", "gpfs"}) EXPECT_TRUE(FileLayouts::told_by(mount_of(type))) << type;
  for (const char* type : {"ext4", "nfs4", "fuse", "fuse.sshfs", "fuse.lustrefs"}) {
    EXPECT_FALSE(FileLayouts::told_by(mount_of(type))) << type;
  }
}

TEST(FileLayouts, ABlockSizeIsToldOnce) {
  char path[] = "/tmp/headrace-layout-XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  close(fd);
  struct stat info;
  ASSERT_EQ(stat(path, &info), 0);
  FileLayouts layouts;
  const std::vector<model::Property> wanted = {{"gpfs.block_size", std::to_string(info.st_blksize)}};
  EXPECT_EQ(layouts.of(path, mount_of("gpfs")), wanted);
  EXPECT_TRUE(layouts.of(path, mount_of("gpfs")).empty());
  EXPECT_TRUE(layouts.take_gaps().empty());
  unlink(path);
}

TEST(FileLayouts, WhatIsNotToldIsCounted) {
  FileLayouts layouts;
  EXPECT_TRUE(layouts.of("/nonexistent/a", mount_of("lustre")).empty());
  EXPECT_TRUE(layouts.of("/nonexistent/b", mount_of("gpfs")).empty());
  EXPECT_TRUE(layouts.of("/nonexistent/b", mount_of("gpfs")).empty());
  EXPECT_TRUE(layouts.of("/tmp", mount_of("lustre")).empty());
  EXPECT_TRUE(layouts.of("/" + std::string(5000, 'x'), mount_of("lustre")).empty());
  const std::vector<model::Gap> gaps = layouts.take_gaps();
  ASSERT_EQ(gaps.size(), 3u);
  uint64_t files = 0;
  for (const model::Gap& gap : gaps) files += gap.amount;
  EXPECT_EQ(files, 4u);
  EXPECT_TRUE(layouts.take_gaps().empty());
}

TEST(FileLayouts, PatienceEnds) {
  FileLayouts none({0, 0});
  EXPECT_TRUE(none.of("/tmp/a", mount_of("gpfs")).empty());
  ASSERT_EQ(none.take_gaps().size(), 1u);
}

TEST(FileAsker, AForkAsksForItself) {
  FileAsker asker;
  const auto question = FileAsker::Question::kBlockSize;
  ASSERT_TRUE(asker.ask(question, "/", 5'000'000'000).came);
  const pid_t child = fork();
  if (child == 0) _exit(asker.ask(question, "/", 5'000'000'000).number > 0 ? 0 : 1);
  int status = 1;
  while (waitpid(child, &status, 0) != child) {
  }
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(asker.ask(question, "/", 5'000'000'000).came) << "and this one still has its own";
}

}  // namespace
}  // namespace headrace::capture
