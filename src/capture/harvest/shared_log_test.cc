#include "capture/harvest/shared_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "format/reader.h"
#include "format/writer.h"

namespace headrace::capture {
namespace {

constexpr uint64_t kStart = 1'700'000'000'000'000'000;
constexpr int kWriters = 24, kRounds = 20;

class SharedLogs : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("shared-log-" + std::to_string(getpid()));
    std::filesystem::create_directory(directory_);
    path_ = directory_ / "job.hr";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// What one of the writers does: rows with its number, an index at the end. 0, or 1 if it began the log.
  int write_as(uint64_t number, const std::string& identity) const {
    auto log = SharedLog::open(path_, identity, kStart + number);
    if (!log.ok()) return 2;
    format::WriterOptions options;
    options.job = log->job();
    options.producer.process = number;
    auto sink = log->sink();
    if (!sink.ok()) return 3;
    auto writer = format::Writer::open(std::move(*sink), options);
    if (!writer.ok()) return 4;
    for (uint64_t round = 0; round < kRounds; ++round) {
      const auto section = log->enter();
      const auto twice = [&](const char* name) {
        return writer->add(format::TableBuilder(name).u64("round", &round, 1, sizeof round)).ok();
      };
      if (!section.ok() || !twice("figures") || !twice("others")) return 5;
    }
    const auto section = log->enter();
    if (!section.ok() || !writer->close().ok()) return 6;
    return log->created() ? 1 : 0;
  }

  /// How many of many concurrent processes began the log.
  int write_all(const std::string& identity) const {
    std::vector<pid_t> children;
    for (int number = 1; number <= kWriters; ++number) {
      const pid_t child = fork();
      if (child == 0) _exit(write_as(static_cast<uint64_t>(number), identity));
      children.push_back(child);
    }
    int created = 0;
    for (const pid_t child : children) {
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
      created += WEXITSTATUS(status);
    }
    return created;
  }

  void expect_all_rows() const {
    auto reader = format::Reader::open(path_);
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    EXPECT_TRUE(reader->closed());
    EXPECT_EQ(reader->jobs().size(), 1u);
    for (const char* name : {"figures", "others"}) {
      const auto table = reader->table(name);
      ASSERT_TRUE(table.ok());
      ASSERT_EQ(table->rows, uint64_t{kWriters} * kRounds);
      for (uint64_t row = 0; row < table->rows; ++row) EXPECT_EQ(table->find("round")->u64(row), row % kRounds);
    }
    ASSERT_TRUE(reader->verify().ok());
    EXPECT_TRUE(reader->damage().empty());
    const int kept = std::filesystem::exists(kept_name(path_)) ? 1 : 0;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1 + kept);  // no temporary file stays
  }

  std::filesystem::path directory_, path_;
};

TEST_F(SharedLogs, OneBeginsItAndAllOthersJoin) {
  EXPECT_EQ(write_all("job a"), 1);
  expect_all_rows();
}

TEST_F(SharedLogs, OneReplacesTheLogOfAnotherJob) {
  write_as(99, "job a");
  EXPECT_EQ(write_all("job b"), 1);
  expect_all_rows();
  EXPECT_TRUE(format::Reader::open(kept_name(path_)).ok());
}

TEST_F(SharedLogs, ALongCommandHidesNoLog) {
  std::string command;
  for (uint32_t i = 0, random = 1; i < 700'000; ++i) {
    random = random * 1'103'515'245 + 12'345;
    command += static_cast<char>('!' + (random >> 16) % 90);
  }
  ASSERT_TRUE(SharedLog::open(path_, "job a", kStart, {{"command", command}}).ok());
  const auto joined = SharedLog::open(path_, "job a", kStart);
  ASSERT_TRUE(joined.ok());
  EXPECT_FALSE(joined->created());
}

TEST_F(SharedLogs, AnEmptyFileIsFilledInPlace) {
  std::ofstream(path_).close();
  const auto before = std::filesystem::status(path_).permissions();
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(write_all("job a"), 1);
  EXPECT_NE(std::filesystem::status(path_).permissions(), before);
  expect_all_rows();
}

TEST_F(SharedLogs, ALinkStaysOne) {
  std::filesystem::create_directory(directory_ / "real");
  std::filesystem::create_symlink("real/job.hr", path_);
  std::ofstream(directory_ / "real" / "job.hr").close();
  write_as(1, "job a");
  write_as(1, "job b");
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_TRUE(format::Reader::open(directory_ / "real" / "job.hr").ok());
}

TEST_F(SharedLogs, AllCountTimeFromTheSameStart) {
  const auto first = SharedLog::open(path_, "job a", kStart);
  const auto second = SharedLog::open(path_, "job a", kStart + 5);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(first->created());
  EXPECT_FALSE(second->created());
  EXPECT_EQ(second->start_utc_ns(), kStart);
  EXPECT_EQ(second->job(), first->job());
  EXPECT_EQ(second->start().realtime_ns, kStart);
}

TEST_F(SharedLogs, WhoeverStillWritesAReplacedLogHarmsNobody) {
  auto old = SharedLog::open(path_, "job a", kStart);
  auto now = SharedLog::open(path_, "job b", kStart);
  ASSERT_TRUE(old.ok() && now.ok() && now->created());
  const uint8_t bytes[] = {1, 2, 3};
  const uint64_t size = std::filesystem::file_size(path_);
  EXPECT_TRUE(old->append(bytes).ok());
  EXPECT_EQ(std::filesystem::file_size(path_), size);
}

TEST_F(SharedLogs, AFileThatIsNoLogStays) {
  std::ofstream(path_) << "my thesis";
  const auto log = SharedLog::open(path_, "job a", kStart);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.code(), base::Code::kInvalid);
  EXPECT_EQ(std::filesystem::file_size(path_), 9u);
}

TEST_F(SharedLogs, WhatCannotBeReplacedIsNotLost) {
  ASSERT_EQ(write_as(1, "earlier"), 1);
  const auto bytes = std::filesystem::file_size(path_);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  close(next);
  const rlimit one{static_cast<rlim_t>(next) + 1, before.rlim_max};  // the log itself, but no new file beside it
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &one), 0);
  const auto log = SharedLog::open(path_, "later", kStart);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(log.ok());
  EXPECT_NE(log.message().find("another name"), std::string::npos) << log.message();
  EXPECT_EQ(std::filesystem::file_size(path_), bytes);
}

TEST_F(SharedLogs, JoiningAddsToTheLastJob) {
  EXPECT_EQ(SharedLog::join(path_).code(), base::Code::kNotFound);
  const uint64_t job = SharedLog::open(path_, "job a", kStart)->job();
  const auto joined = SharedLog::join(path_);
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined->job(), job);
  EXPECT_EQ(joined->start_utc_ns(), kStart);
}

TEST_F(SharedLogs, ASectionKnowsTheEnd) {
  auto log = SharedLog::open(path_, "job a", kStart);
  ASSERT_TRUE(log.ok());
  const uint64_t end = log->enter()->end();
  EXPECT_EQ(end, std::filesystem::file_size(path_));
  const uint8_t bytes[] = {1, 2, 3};
  const auto at = log->append(bytes);
  ASSERT_TRUE(at.ok());
  EXPECT_EQ(*at, end);
}

}  // namespace
}  // namespace headrace::capture
