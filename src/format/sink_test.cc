#include "format/sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

using base::Code;

class SinkTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "headrace-sink-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const char* name) const { return directory_ + "/" + name; }

  std::string directory_;
};

const std::vector<uint8_t> kTen(10, 'x');

TEST_F(SinkTest, AppendsAndTellsWhere) {
  auto sink = FileSink::open(path("a"), FileSink::Mode::kCreate);
  ASSERT_TRUE(sink.ok()) << sink.message();
  EXPECT_EQ(*(*sink)->append(kTen), 0u);
  EXPECT_EQ(*(*sink)->append(kTen), 10u);
  auto other = FileSink::open(path("a"), FileSink::Mode::kAppend);
  EXPECT_EQ(*(*other)->append(kTen), 20u);
  EXPECT_EQ(*(*sink)->append(kTen), 30u);
  EXPECT_TRUE((*sink)->close().ok());
  EXPECT_TRUE((*sink)->close().ok());
  EXPECT_EQ((*sink)->append(kTen).code(), Code::kInvalid);
  EXPECT_EQ(std::filesystem::file_size(path("a")), 40u);
}

TEST_F(SinkTest, ModesSayWhatHappensToAnExistingFile) {
  std::ofstream(path("a")) << "old";
  auto created = FileSink::open(path("a"), FileSink::Mode::kCreate);
  EXPECT_EQ(created.code(), Code::kInvalid);
  EXPECT_NE(created.message().find(path("a")), std::string::npos);
  auto replaced = FileSink::open(path("a"), FileSink::Mode::kReplace);
  EXPECT_EQ(*(*replaced)->append(kTen), 0u);
  EXPECT_EQ(FileSink::open(path("none/a"), FileSink::Mode::kCreate).code(), Code::kNotFound);
}

TEST_F(SinkTest, AFullDiskIsNoSpace) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  auto sink = FileSink::adopt(full, "full.hr");
  const auto status = sink->append(kTen).status();
  EXPECT_EQ(status.code(), Code::kNoSpace);
  EXPECT_EQ(status.message(),
            "full.hr: cannot write: No space left on device: free some space, or write to another directory");
}

// The kernel stores what fits and then refuses: half a chunk stays in the file. Readers must get over it, and the
// writer must be able to go on when there is space again.
TEST_F(SinkTest, AChunkThatOnlyHalfFitsIsSkippedByReaders) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  auto sink = FileSink::open(path("a"), FileSink::Mode::kCreate);
  auto writer = Writer::open(std::move(*sink));
  const std::vector<uint64_t> values{1, 2, 3};
  ASSERT_TRUE(writer->add(TableBuilder("a").u64("v", values)).ok());

  struct rlimit tight = before;
  tight.rlim_cur = writer->bytes() + 50;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto status = writer->add(TableBuilder("b").u64("v", values));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), Code::kNoSpace) << status.message();

  ASSERT_TRUE(writer->add(TableBuilder("c").u64("v", values)).ok());
  ASSERT_TRUE(writer->close().ok());
  auto reader = Reader::open(path("a"));
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_EQ(reader->tables(), (std::vector<std::string>{"a", "c"}));
  ASSERT_EQ(reader->damage().size(), 1u);
  EXPECT_EQ(reader->damage()[0].bytes, 50u);
}

// The only room that a full disk has left is what an append has torn.
TEST_F(SinkTest, WordIsLeftInPlaceOfWhatDidNotFit) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  auto writer = Writer::open(std::move(*FileSink::open(path("a"), FileSink::Mode::kCreate)));
  auto other = FileSink::open(path("a"), FileSink::Mode::kAppend);
  const std::vector<uint64_t> values{1, 2, 3};
  const TableBuilder word = TableBuilder("word").u64("v", values);
  ASSERT_TRUE(writer->add(TableBuilder("a").u64("v", values)).ok());
  EXPECT_FALSE(writer->replace_torn(word)) << "nothing is torn";

  std::vector<uint64_t> many(10'000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = i * i * 0x9e3779b97f4a7c15u;
  struct rlimit tight = before;
  tight.rlim_cur = writer->bytes() + 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  EXPECT_EQ(writer->add(TableBuilder("b").u64("v", many)).code(), Code::kNoSpace);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  ASSERT_TRUE((*other)->append(kTen).ok());  // somebody else goes on behind it
  EXPECT_TRUE(writer->replace_torn(word));
  EXPECT_FALSE(writer->replace_torn(word)) << "once";
  ASSERT_TRUE(writer->close().ok());
  auto reader = Reader::open(path("a"));
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_EQ(reader->tables(), (std::vector<std::string>{"a", "word"}));
}

TEST(Sink, MemoryAndNullCountAlike) {
  std::vector<uint8_t> bytes;
  MemorySink memory(bytes);
  NullSink null;
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(*memory.append(kTen), 10 * i);
    EXPECT_EQ(*null.append(kTen), 10 * i);
  }
  EXPECT_EQ(bytes.size(), 30u);
}

}  // namespace
}  // namespace headrace::format
