// The account of flushers is read as it was written, and nothing else is taken for one.
#include "capture/harvest/flush_account.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

namespace headrace::capture {
namespace {

FlushAccount account_sample() {
  FlushAccount account;
  account.generation = 3;
  account.job = 77;
  account.trace = "/data/job.trace.hr";
  account.device = 5;
  account.file = 6;
  account.moved = 7;
  account.points = {{1, 2, 3}, {4, 5, 6}};
  account.references = {8, 9};
  account.threads[1] = {100, {4, 1000, 5000, {{11, model::TimeClass::kWrite}, {12, model::TimeClass::kProgram}}}};
  account.threads[7] = {0, {1, 2, 3, {}}};
  account.communicators = {{9, "0123456789abcdef MPI_COMM_WORLD"}};
  account.thread_names = {{2, "worker"}};
  account.regions = {{3, {RegionKind::kPhase, "dump"}}, {4, {RegionKind::kCounter, std::string("a\0b", 3)}}};
  return account;
}

TEST(FlushAccount, IsReadAsItWasWritten) {
  const std::vector<uint8_t> bytes = encode(account_sample());
  const auto read = decode_account(bytes);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(encode(*read), bytes);
  EXPECT_EQ(read->regions.at(4).name.size(), 3u);
  EXPECT_EQ(read->thread_names, account_sample().thread_names);
  EXPECT_EQ(read->threads.at(1).at.open.size(), 2u);
}

TEST(FlushAccount, TellsWhatIsStoredOfTheGenerationBeforeAlone) {
  EXPECT_EQ(account_sample().stored(1, 2), 100u);
  EXPECT_EQ(account_sample().stored(1, 3), 0u) << "the memory is used again";
  EXPECT_EQ(account_sample().stored(1, 1), 0u);
  EXPECT_EQ(account_sample().stored(2, 2), 0u);
}

TEST(FlushAccount, DamageIsSeen) {
  const std::vector<uint8_t> whole = encode(account_sample());
  std::mt19937 random(20261123);
  for (int i = 0; i < 2000; ++i) {
    std::vector<uint8_t> bytes = whole;
    bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1 + random() % 255);
    EXPECT_FALSE(decode_account(bytes).ok());
  }
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(decode_account(base::Bytes(whole).first(length)).ok());
}

TEST(FlushAccount, TakesThePlaceOfTheOneBefore) {
  const std::string place = testing::TempDir() + "/flush_account";
  std::filesystem::remove_all(place);
  std::filesystem::create_directory(place);
  const int directory = open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_EQ(read_account(directory, "a")->generation, 0u) << "there is none";
  FlushAccount account = account_sample();
  for (account.generation = 1; account.generation < 4; ++account.generation) {
    ASSERT_TRUE(keep_account(directory, "a", account).ok());
    EXPECT_EQ(read_account(directory, "a")->generation, account.generation);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place), {}), 1);
  ASSERT_EQ(truncate((place + "/a").c_str(), 20), 0);
  EXPECT_EQ(read_account(directory, "a").code(), base::Code::kCorrupt);
  close(directory);
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace headrace::capture
