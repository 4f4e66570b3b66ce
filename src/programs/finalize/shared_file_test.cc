#include "programs/finalize/shared_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "format/reader.h"
#include "format/writer.h"

namespace headrace::programs {
namespace {

using capture::SharedLog;
using capture::Stored;

class SharedFiles : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("shared-file-" + std::to_string(getpid()));
    std::filesystem::create_directory(directory_);
    path_ = directory_ / "job.hr";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static std::vector<uint8_t> rows(const char* table) {
    std::vector<uint8_t> bytes;
    const uint64_t one = 1;
    format::WriterOptions options;
    options.job = 9;
    auto writer = format::Writer::open(std::make_unique<format::MemorySink>(bytes), options);
    EXPECT_TRUE(writer->add(format::TableBuilder(table).u64("one", &one, 1, sizeof one)).ok());
    EXPECT_TRUE(writer->close().ok());
    return bytes;
  }
  /// What a launcher does that waited for the lock in vain.
  void append_without_lock() const {
    auto sink = format::FileSink::open(path_, format::FileSink::Mode::kAppend);
    ASSERT_TRUE(sink.ok());
    EXPECT_TRUE((*sink)->append(rows("late")).ok());
  }
  uint64_t rows_of(const char* name) const {
    auto reader = format::Reader::open(path_);
    const auto table = reader->table(name, 9);
    return table.ok() ? table->rows : 0;
  }

  std::filesystem::path directory_, path_;
};

TEST_F(SharedFiles, TheLogOfAnotherJobIsLeftAlone) {
  auto ours = SharedLog::open(path_, "job a", 1);
  auto theirs = SharedLog::open(path_, "job b", 2);
  ASSERT_TRUE(ours.ok() && theirs.ok());
  SharedFile file(path_, &*ours);
  EXPECT_EQ(file.begin(100).code(), base::Code::kIo);
}

TEST_F(SharedFiles, WhatIsAppendedMeanwhileStays) {
  for (const bool whole : {true, false}) {
    auto log = SharedLog::open(path_, whole ? "job a" : "job b", 1);
    ASSERT_TRUE(log.ok());
    SharedFile file(path_, &*log);
    const std::vector<uint8_t> part = rows("reduced");
    const auto place = file.begin(part.size());
    ASSERT_TRUE(place.ok());
    append_without_lock();
    if (whole) {
      EXPECT_TRUE(file.write(*place, part).ok());
    }
    EXPECT_TRUE(file.end(whole ? Stored::kAll : Stored::kNothing).ok());
    EXPECT_EQ(rows_of("late"), 1u);
    EXPECT_EQ(rows_of("reduced"), whole ? 1u : 0u);
  }
}

TEST_F(SharedFiles, AFailureLeavesTheLogAsItWas) {
  auto log = SharedLog::open(path_, "job a", 1);
  ASSERT_TRUE(log.ok());
  const auto before = std::filesystem::file_size(path_);
  SharedFile file(path_, &*log);
  ASSERT_TRUE(file.begin(1000).ok());
  EXPECT_TRUE(file.end(Stored::kNothing).ok());
  EXPECT_EQ(std::filesystem::file_size(path_), before);
}

TEST_F(SharedFiles, WhoWritesLateIsPassedOver) {
  auto log = SharedLog::open(path_, "job a", 1);
  ASSERT_TRUE(log.ok());
  const std::vector<uint8_t> part = rows("reduced");
  SharedFile file(path_, &*log);
  const auto place = file.begin(part.size());
  ASSERT_TRUE(place.ok());
  EXPECT_TRUE(file.end(Stored::kUnknown).ok());
  append_without_lock();
  SharedFile late(path_, nullptr);
  EXPECT_TRUE(late.write(*place, part).ok());
  EXPECT_EQ(rows_of("reduced"), 0u);
  EXPECT_EQ(rows_of("late"), 1u);
}

TEST_F(SharedFiles, NothingCountsBeforeTheEnd) {
  auto log = SharedLog::open(path_, "job a", 1);
  ASSERT_TRUE(log.ok());
  const std::vector<uint8_t> part = rows("reduced");
  SharedFile file(path_, &*log);
  const auto place = file.begin(part.size());
  ASSERT_TRUE(place.ok());
  EXPECT_TRUE(file.write(*place, part).ok());
  EXPECT_EQ(rows_of("reduced"), 0u);
  EXPECT_TRUE(file.end(Stored::kAll).ok());
  EXPECT_EQ(rows_of("reduced"), 1u);
}

}  // namespace
}  // namespace headrace::programs
