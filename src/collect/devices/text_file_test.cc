#include "collect/devices/text_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace headrace::collect {
namespace {

namespace fs = std::filesystem;

class Texts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "headrace-texts-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(directory_); }

  /// A process, and a link to a file that cannot be read when it has ended.
  static pid_t begin(const std::string& path) {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    fs::create_symlink("/proc/" + std::to_string(child) + "/stat", path);
    return child;
  }
  static void end(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  std::string directory_;
};

TEST_F(Texts, AreReadAsTheyAreNow) {
  const std::string path = directory_ + "/text";
  TextFile file(path);
  EXPECT_EQ(file.read().code(), base::Code::kNotFound);
  std::ofstream(path) << "one";
  EXPECT_EQ(*file.read(), "one");
  std::ofstream(path) << std::string(100'000, 'x') << "end";
  EXPECT_EQ(file.read()->size(), 100'003U);
  std::ofstream(path) << "1";
  EXPECT_EQ(*file.read(), "1");
}

TEST_F(Texts, WhatCannotBeReadAnyMoreIsOpenedAgain) {
  const std::string path = directory_ + "/link";
  const pid_t child = begin(path);
  TextFile file(path);
  EXPECT_TRUE(file.read().ok());
  end(child);
  EXPECT_EQ(file.read().code(), base::Code::kNotFound);
  fs::remove(path);
  fs::create_symlink("/proc/self/stat", path);
  ASSERT_TRUE(file.read().ok());
  EXPECT_EQ(file.read()->substr(0, std::to_string(getpid()).size()), std::to_string(getpid()));
}

TEST_F(Texts, WhatIsInItsPlaceIsReadAtOnceIfThatWasGone) {
  const std::string path = directory_ + "/link";
  const pid_t child = begin(path);
  TextFile file(path);
  EXPECT_TRUE(file.read().ok());
  end(child);
  fs::remove(path);
  fs::create_symlink("/proc/self/stat", path);
  EXPECT_TRUE(file.read().ok());
}

}  // namespace
}  // namespace headrace::collect
