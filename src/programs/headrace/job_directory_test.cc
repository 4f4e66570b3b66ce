#include "programs/headrace/job_directory.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "capture/harvest/small_file.h"

namespace headrace::programs {
namespace {

RunSettings below(const std::string& directory) {
  RunSettings settings;
  settings.spool = directory;
  return settings;
}

TEST(JobDirectory, HoldsTheConfigurationForItsOwnerAlone) {
  RunSettings settings = below("/tmp");
  settings.file_sizes = true;
  settings.rules = {{true, "/a"}, {false, "/a/b"}};
  auto made = JobDirectory::create(settings);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_TRUE(made->path().starts_with("/tmp/headrace-"));
  EXPECT_EQ(made->refused(), "");
  struct stat info;
  ASSERT_EQ(stat(made->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const std::string text = capture::read_small_file((made->path() + "/config").c_str(), 1000);
  EXPECT_NE(text.find("memory=4194304\n"), std::string::npos);
  EXPECT_NE(text.find("clock="), std::string::npos);
  EXPECT_NE(text.find("file_sizes=1\nexclude=/a\ninclude=/a/b\n"), std::string::npos);
  made->remove();
  EXPECT_NE(access(made->path().c_str(), F_OK), 0);
}

TEST(JobDirectory, FallsBackAndSaysWhy) {
  auto made = JobDirectory::create(below("/missing"));
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(made->path().starts_with("/missing"));
  EXPECT_NE(made->refused().find("/missing"), std::string::npos);
  made->remove();
}

TEST(JobDirectory, PseudoFileSystemsAreRefused) {
  auto made = JobDirectory::create(below("/proc/self"));
  ASSERT_TRUE(made.ok());
  EXPECT_NE(made->refused().find("/proc/self"), std::string::npos);
  made->remove();
}

TEST(JobDirectory, HasOneHarvester) {
  auto made = JobDirectory::create(below("/tmp"));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(JobDirectory::open(made->path()).code(), base::Code::kLimit);
  EXPECT_TRUE(made->keep_facts({{"command", "[\"a\"]"}, {"log", "/x=y.hr"}}).ok());
  const std::string path = made->path();
  {
    const JobDirectory killed = std::move(*made);
  }
  auto opened = JobDirectory::open(path);
  ASSERT_TRUE(opened.ok()) << opened.message();
  EXPECT_EQ(opened->facts()["log"], "/x=y.hr");
  EXPECT_EQ(opened->facts()["command"], "[\"a\"]");
  opened->remove();
  EXPECT_EQ(JobDirectory::open(path).code(), base::Code::kNotFound);
}

}  // namespace
}  // namespace headrace::programs
