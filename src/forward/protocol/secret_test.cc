#include "forward/protocol/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace headrace::forward {
namespace {

class SecretFile : public testing::Test {
 protected:
  ~SecretFile() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "secret" + std::to_string(getpid());
};

TEST_F(SecretFile, IsMadeOnceAndForItsOwnerAlone) {
  EXPECT_EQ(read_secret(path_, false).code(), base::Code::kNotFound);
  const auto made = read_secret(path_, true), again = read_secret(path_, true);
  ASSERT_TRUE(made.ok() && again.ok()) << made.message() << again.message();
  EXPECT_EQ(*made, *again);
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(SecretFile, IsNamedWhereItCannotBeMade) {
  const auto made = read_secret("/none/at/all", true);
  EXPECT_EQ(made.message(), "/none/at/all: cannot be made: No such file or directory");
}

TEST_F(SecretFile, IsRefusedWhereOthersMayReadItOrWhereItIsNone) {
  ASSERT_TRUE(read_secret(path_, true).ok());
  chmod(path_.c_str(), 0640);
  EXPECT_EQ(read_secret(path_, true).code(), base::Code::kInvalid);
  chmod(path_.c_str(), 0600);
  for (const char* text : {"", "12", "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdef00"}) {
    std::ofstream(path_) << text;
    EXPECT_EQ(read_secret(path_, true).code(), base::Code::kCorrupt) << text;
  }
}

std::vector<uint8_t> frame_of(uint8_t fill) { return std::vector<uint8_t>(kHeaderBytes + 20, fill); }

TEST(Sealer, OpensWhatIsWholeAndInOrder) {
  const base::SipKey key = random_secret();
  Sealer sender(key), receiver(key);
  for (uint8_t i = 0; i < 10; ++i) {
    auto frame = frame_of(i);
    sender.seal(frame);
    EXPECT_TRUE(receiver.opens(frame.data(), frame.size()));
  }
}

TEST(Sealer, RefusesWhatIsChangedRepeatedLeftOutOrOfAnotherConnection) {
  const base::SipKey key = random_secret();
  auto first = frame_of(1), second = frame_of(1);
  Sealer sender(key);
  sender.seal(first);
  sender.seal(second);
  EXPECT_NE(first, second);
  Sealer changed(key), repeated(key), left_out(key), other(random_secret());
  auto copy = first;
  copy[kHeaderBytes + 3] ^= 1;
  EXPECT_FALSE(changed.opens(copy.data(), copy.size()));
  copy = first;
  EXPECT_TRUE(repeated.opens(copy.data(), copy.size()));
  copy = first;
  EXPECT_FALSE(repeated.opens(copy.data(), copy.size()));
  EXPECT_FALSE(left_out.opens(second.data(), second.size()));
  EXPECT_FALSE(other.opens(first.data(), first.size()));
}

}  // namespace
}  // namespace headrace::forward
