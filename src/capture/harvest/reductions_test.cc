#include "capture/harvest/reductions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "capture/harvest/copy_file.h"
#include "capture/harvest/files_to_ask.h"
#include "capture/harvest/shared_log.h"
#include "capture/spool_layout.h"

namespace headrace::capture {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / ("reductions-" + std::to_string(getpid()));
    fs::create_directory(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }
  fs::path directory_;
};

TEST_F(Files, SayWhichReductionsTheyHave) {
  const std::string path = directory_ / "job.hr";
  EXPECT_FALSE(has_reduction(path, 7));
  ASSERT_TRUE(SharedLog::open(path, "job", 1, {{kReductionFact + identity_text(7), "yes"}}).ok());
  EXPECT_TRUE(has_reduction(path, 7));
  EXPECT_FALSE(has_reduction(path, 8));
}

TEST_F(Files, ToAskForAreReadAsTheyWereWritten) {
  std::vector<uint8_t> bytes;
  append({1, 2, "/a"}, &bytes);
  append({3, 4, ""}, &bytes);
  std::vector<FileToAsk> files;
  ASSERT_TRUE(read_files_to_ask(bytes, &files).ok());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].process, 1u);
  EXPECT_EQ(files[0].record, 2u);
  EXPECT_EQ(files[0].path, "/a");
  EXPECT_EQ(files[1].path, "");
  for (size_t size = 1; size < bytes.size(); ++size) {
    if (size == 22) continue;  // all of the first one
    files.clear();
    EXPECT_FALSE(read_files_to_ask(std::span(bytes).first(size), &files).ok()) << size;
    EXPECT_EQ(files.size(), size < 22 ? 0u : 1u);
  }
}

TEST_F(Files, AreMovedWholeOrNotAtAll) {
  const fs::path away = fs::path("/dev/shm") / directory_.filename();
  fs::create_directory(away);
  const std::string from = away / "from", to = directory_ / "to";
  const auto write = [](const std::string& path, const char* text) {
    FILE* file = fopen(path.c_str(), "w");
    fputs(text, file);
    fclose(file);
  };
  write(to, "old");
  EXPECT_FALSE(move_file(from, to).ok());
  EXPECT_EQ(fs::file_size(to), 3u);
  write(from, "new one");
  EXPECT_TRUE(move_file(from, to).ok());
  EXPECT_EQ(fs::file_size(to), 7u);
  EXPECT_FALSE(fs::exists(from));
  // Where the new one cannot be put in the old one's place that stays, and nothing is left beside it.
  fs::create_directories(directory_ / "taken" / "by");
  write(from, "new one");
  EXPECT_FALSE(move_file(from, directory_ / "taken").ok());
  EXPECT_TRUE(fs::exists(from));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), {}), 2);
  fs::remove_all(away);
}

}  // namespace
}  // namespace headrace::capture
