#include "forward/server/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "forward/server/sessions.h"

namespace headrace::forward {
namespace {

class JournalTest : public testing::Test {
 protected:
  JournalTest() : path_(testing::TempDir() + "calls" + std::to_string(getpid())) {}
  ~JournalTest() override { std::filesystem::remove(path_); }
  /// As the next server does after this one was killed.
  std::unique_ptr<Journal> open() { return std::move(*Journal::open(path_)); }
  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }

  const std::string path_;
  const Nonce client_{1, 2}, other_{3};
  const std::vector<uint8_t> answer_{7, 8, 9};
};

TEST_F(JournalTest, TheNextServerHasWhatWasBegunAndWhatWasDone) {
  {
    const auto journal = open();
    journal->begin(client_, 4, 17);
    journal->begin(client_, 5, 18);
    journal->done(client_, 5, answer_);
    EXPECT_FALSE(journal->left(client_, 5).has_value()) << "of its own calls sessions know";
  }
  for (int server = 0; server < 2; ++server) {  // the second was killed at once
    const auto journal = open();
    const auto begun = journal->left(client_, 4), done = journal->left(client_, 5);
    ASSERT_TRUE(begun.has_value() && done.has_value());
    EXPECT_FALSE(begun->done);
    EXPECT_EQ(begun->before, 17U);
    EXPECT_TRUE(done->done);
    EXPECT_EQ(done->answer, answer_);
    EXPECT_FALSE(journal->left(other_, 4).has_value());
  }
}

TEST_F(JournalTest, WhatAClientHasIsLeftOutInTime) {
  {
    const auto journal = open();
    journal->begin(other_, 1, 0);
    journal->gone(other_);
    for (uint64_t id = 1; id < 100; ++id) {
      journal->begin(client_, id, 0);
      journal->done(client_, id, std::vector<uint8_t>(60'000));
      journal->passed(client_, id);
    }
    EXPECT_LT(bytes().size(), 5U << 20) << "of some 6 MB that were noted";
  }
  const auto journal = open();
  EXPECT_FALSE(journal->left(client_, 1).has_value());
  EXPECT_TRUE(journal->left(client_, 99).has_value());
  EXPECT_FALSE(journal->left(other_, 1).has_value());
}

TEST_F(JournalTest, PlacesOfAppendsStayTaken) {
  {
    const auto journal = open();
    journal->begin(client_, 1, 100, 77, 150);
    journal->begin(client_, 2, 150, 77, 180);
    journal->begin(client_, 3, 0, 78, 10);
    journal->done(client_, 3, answer_);
  }
  const auto journal = open();
  EXPECT_EQ(journal->taken(77), 180U);
  EXPECT_EQ(journal->taken(78), 0U);
  EXPECT_EQ(journal->taken(79), 0U);
  journal->begin(client_, 2, 150, 77, 180);  // it came again
  EXPECT_EQ(journal->taken(77), 150U);
  journal->cut(77);
  EXPECT_EQ(journal->taken(77), 0U);
}

TEST_F(JournalTest, ANameIsMadeByOneCallAlone) {
  const auto journal = open();
  EXPECT_TRUE(journal->claim(5, "lock", true));
  EXPECT_FALSE(journal->claim(5, "lock", true));
  EXPECT_TRUE(journal->claim(5, "lock", false));
  EXPECT_TRUE(journal->claim(6, "lock", true));
}

TEST_F(JournalTest, AnyPrefixIsRead) {
  constexpr size_t kHead = 32, kBody = 24;  // as docs/formats/forwarding-protocol.md has them
  {
    const auto journal = open();
    journal->begin(client_, 1, 5);
    journal->done(client_, 1, answer_);
    journal->begin(client_, 2, 6);
  }
  const std::string all = bytes();
  for (size_t length = 8; length <= all.size(); ++length) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << all.substr(0, length);
    const auto journal = open();
    const auto first = journal->left(client_, 1), last = journal->left(client_, 2);
    EXPECT_EQ(first.has_value(), length >= 8 + kHead + kBody);
    EXPECT_EQ(first.has_value() && first->done, length >= 8 + 2 * kHead + kBody + answer_.size());
    EXPECT_EQ(last.has_value(), length >= all.size());
  }
}

TEST_F(JournalTest, NoOtherFileIsTakenForOne) {
  std::ofstream(path_) << "somebody's notes, longer than eight bytes";
  EXPECT_EQ(Journal::open(path_).code(), base::Code::kInvalid);
  EXPECT_EQ(bytes(), "somebody's notes, longer than eight bytes");
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(Journal::open(path_).code(), base::Code::kOk);
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("/dev/null", path_);
  EXPECT_EQ(Journal::open(path_).code(), base::Code::kIo);
}

TEST_F(JournalTest, ASessionAnswersFromIt) {
  std::vector<uint8_t> got;
  std::optional<uint64_t> before;
  {
    const auto journal = open();
    Sessions sessions;
    sessions.keep_in(journal.get());
    const auto session = sessions.attach(client_);
    ASSERT_EQ(session->begin(1, 1, {}, &got, &before), Session::Standing::kNew);
    journal->begin(client_, 1, 0);
    session->finish(1, answer_);
    ASSERT_EQ(session->begin(2, 1, {}, &got, &before), Session::Standing::kNew);
    journal->begin(client_, 2, 33);
    EXPECT_FALSE(before.has_value());
  }
  const auto journal = open();
  Sessions sessions;
  sessions.keep_in(journal.get());
  const auto session = sessions.attach(client_);
  EXPECT_EQ(session->begin(1, 1, {}, &got, &before), Session::Standing::kDone);
  EXPECT_EQ(got, answer_);
  EXPECT_EQ(session->begin(2, 1, {}, &got, &before), Session::Standing::kNew);
  EXPECT_EQ(before, 33U);
}

}  // namespace
}  // namespace headrace::forward
