// Files as people and machines leave them: missing, empty, foreign, concatenated, shared, gone on with.

#include "format/reader.h"
#include "format/joined_bytes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "format/writer.h"

namespace headrace::format {
namespace {

using base::Code;

class ReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "headrace-reader-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string file(std::string_view content) const {
    std::ofstream(directory_ + "/f", std::ios::binary | std::ios::trunc) << content;
    return directory_ + "/f";
  }

  std::string directory_;
};

std::vector<uint8_t> log_of(uint64_t job, std::vector<uint64_t> values) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes), {.job = job, .chunk_rows = 2});
  EXPECT_TRUE(writer->add(TableBuilder("t").u64("v", values)).ok());
  EXPECT_TRUE(writer->close().ok());
  return bytes;
}

std::vector<uint64_t> values_of(Reader& reader, std::optional<uint64_t> job = {}) {
  auto table = reader.table("t", job);
  EXPECT_TRUE(table.ok()) << table.message();
  std::vector<uint64_t> values;
  for (uint64_t row = 0; row < table->rows; ++row) values.push_back(table->find("v")->u64(row));
  return values;
}

TEST_F(ReaderTest, SaysWhyAFileIsNoLog) {
  const auto message_of = [](const base::Result<Reader>& reader, Code code) {
    EXPECT_EQ(reader.code(), code) << reader.message();
    return reader.message();
  };
  EXPECT_EQ(message_of(Reader::open(directory_ + "/none"), Code::kNotFound),
            directory_ + "/none: there is no such file");
  EXPECT_EQ(message_of(Reader::open(directory_), Code::kIo),
            directory_ + ": is a directory: name a log file inside it");
  EXPECT_EQ(message_of(Reader::open(file("")), Code::kTruncated),
            file("") + ": is empty (0 bytes): its writer stored nothing");
  EXPECT_EQ(message_of(Reader::open(file("hello")), Code::kForeign), file("") + ": is not a Headrace log");
  EXPECT_EQ(message_of(Reader::open(file(std::string(5000, '\0'))), Code::kForeign),
            file("") + ": is not a Headrace log");
  const std::string darshan("3.41\0\0\0\0\x37\x35\x64\0\0\0\0\0 and much more", 30);
  EXPECT_EQ(message_of(Reader::open(file(darshan)), Code::kForeign),
            file("") + ": is a Darshan log, not a Headrace log: 'headrace convert' makes one of it");
  EXPECT_EQ(message_of(Reader::open(file("\x1f\x8b\x08 zipped")), Code::kForeign),
            file("") + ": is a gzip file, not a Headrace log");
  EXPECT_EQ(message_of(Reader::open(file("\x89HR")), Code::kTruncated),
            file("") + ": at offset 0: the log ends inside its first chunk: nothing in it can be read");
}

TEST_F(ReaderTest, DoesNotWaitForAPipe) {
  const std::string pipe = directory_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Reader::open(pipe).code(), Code::kIo);
}

TEST_F(ReaderTest, ReadsFromAFileAsFromMemory) {
  const auto bytes = log_of(1, {1, 2, 3, 4, 5});
  const std::string path = file({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_EQ(values_of(*reader), (std::vector<uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(reader->size(), bytes.size());
  // Somebody cuts the file while it is open: an error, not a crash.
  std::filesystem::resize_file(path, 150);
  EXPECT_EQ(reader->table("t").code(), Code::kTruncated);
}

TEST_F(ReaderTest, AnEmptyLogOpens) {
  std::vector<uint8_t> bytes;
  ASSERT_TRUE(Writer::open(std::make_unique<MemorySink>(bytes))->close().ok());
  auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_TRUE(reader->closed());
  EXPECT_TRUE(reader->chunks().empty());
}

TEST_F(ReaderTest, ConcatenatedLogsAreOneWithSeveralJobs) {
  const auto bytes = log_of(1, {1, 2, 3}) + log_of(2, {4, 5, 6});
  for (const size_t cut : {size_t{0}, size_t{1}}) {  // by the indexes of both; by a scan
    auto reader = Reader::open_memory({bytes.data(), bytes.size() - cut});
    ASSERT_TRUE(reader.ok()) << reader.message();
    EXPECT_EQ(reader->closed(), cut == 0);
    EXPECT_EQ(reader->jobs(), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(values_of(*reader), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values_of(*reader, 2), (std::vector<uint64_t>{4, 5, 6}));
    EXPECT_EQ(reader->table("t", 3).code(), Code::kNotFound);
    EXPECT_EQ(reader->damage().size(), cut);
  }
}

TEST_F(ReaderTest, ASecondCopyOfALogCountsOnce) {
  const auto log = log_of(1, {1, 2, 3});
  const auto bytes = log + log + log;
  auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_EQ(values_of(*reader), (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(reader->damage().size(), 4u);  // two chunks, twice
  for (const Damage& damage : reader->damage()) EXPECT_TRUE(damage.is_copy);
}

TEST_F(ReaderTest, AWriterGoesOnWithAClosedLog) {
  const std::string path = directory_ + "/log";
  const std::vector<uint64_t> first{1, 2};
  const std::vector<uint64_t> second{3, 4};
  for (const auto& values : {first, second}) {
    auto writer = Writer::append(path);
    ASSERT_TRUE(writer.ok()) << writer.message();
    ASSERT_TRUE(writer->add(TableBuilder("t").u64("v", values)).ok());
    ASSERT_TRUE(writer->close().ok());
  }
  auto reader = Reader::open(path);
  EXPECT_EQ(reader->jobs().size(), 1u);
  EXPECT_EQ(reader->chunks()[1].header.sequence, 1u);
  EXPECT_EQ(values_of(*reader), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(reader->closed());
  EXPECT_TRUE(reader->damage().empty());
}

TEST_F(ReaderTest, AWriterNeverAppendsToSomethingElse) {
  const std::string path = file("a letter to a friend");
  EXPECT_EQ(Writer::append(path).code(), Code::kForeign);
  EXPECT_EQ(std::filesystem::file_size(path), 20u);
}

TEST_F(ReaderTest, SeveralWritersShareAFile) {
  const std::string path = directory_ + "/log";
  std::vector<Writer> writers;
  for (uint32_t rank = 0; rank < 3; ++rank) {
    auto sink = FileSink::open(path, FileSink::Mode::kAppend);
    writers.push_back(std::move(*Writer::open(std::move(*sink), {.job = 1, .producer = {.rank = rank}})));
  }
  for (uint64_t i = 0; i < 20; ++i) {
    const std::vector<uint64_t> values{i};
    for (size_t w = 0; w < 3; ++w) ASSERT_TRUE(writers[(w + i) % 3].add(TableBuilder("t").u64("v", values)).ok());
  }
  for (Writer& writer : writers) ASSERT_TRUE(writer.close().ok());
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_TRUE(reader->closed());
  ASSERT_EQ(reader->chunks().size(), 60u);
  for (size_t i = 0; i < 60; ++i) {  // each producer's chunks together and in order
    EXPECT_EQ(reader->chunks()[i].header.producer.rank, i / 20);
    EXPECT_EQ(reader->chunks()[i].header.sequence, i % 20);
  }
  EXPECT_EQ(values_of(*reader).size(), 60u);
  EXPECT_TRUE(reader->damage().empty());
}

TEST_F(ReaderTest, PutsAProducersChunksInOrder) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes), {.job = 1});
  const auto one = log_of(7, {1, 2, 3, 4, 5, 6});
  auto source = Reader::open_memory(one);
  for (const size_t i : {size_t{2}, size_t{0}, size_t{1}}) {
    const ChunkInfo& chunk = source->chunks()[i];
    ASSERT_TRUE(writer->add_chunk(chunk.header, *source->payload(chunk)).ok());
  }
  ASSERT_TRUE(writer->close().ok());
  auto reader = Reader::open_memory(bytes);
  EXPECT_EQ(reader->jobs(), std::vector<uint64_t>{7});
  EXPECT_EQ(values_of(*reader), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(ReaderTest, KeepsKindsItDoesNotKnow) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes));
  ChunkHeader header;
  header.kind = kind_of("EVNT");
  const std::vector<uint8_t> payload{9, 8, 7};
  ASSERT_TRUE(writer->add_chunk(header, payload).ok());
  header.kind = kIndexKind;
  EXPECT_EQ(writer->add_chunk(header, payload).code(), Code::kInvalid);
  ASSERT_TRUE(writer->close().ok());
  auto reader = Reader::open_memory(bytes);
  ASSERT_EQ(reader->chunks().size(), 1u);
  EXPECT_TRUE(reader->tables().empty());
  EXPECT_EQ(*reader->payload(reader->chunks()[0]), payload);
  ChunkInfo invented = reader->chunks()[0];
  invented.offset = ~uint64_t{0} - 10;
  EXPECT_EQ(reader->payload(invented).code(), Code::kInvalid);
}

TEST_F(ReaderTest, KeepsToItsLimits) {
  const auto bytes = log_of(1, {1, 2, 3});
  EXPECT_EQ(Reader::open_memory(bytes, "log", {.chunks = 1}).code(), Code::kLimit);
  EXPECT_EQ(Reader::open_memory({bytes.data(), bytes.size() - 1}, "log", {.chunks = 1}).code(), Code::kLimit);
  auto reader = Reader::open_memory(bytes, "log", {.table_bytes = 20});
  EXPECT_EQ(reader->table("t").code(), Code::kLimit);
}

TEST_F(ReaderTest, RefusesMistakesOfTheCaller) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes));
  const std::vector<uint64_t> two{1, 2};
  const std::vector<uint64_t> three{1, 2, 3};
  EXPECT_EQ(writer->add(TableBuilder("t").u64("a", two).u64("b", three)).code(), Code::kInvalid);
  EXPECT_EQ(writer->add(TableBuilder("t").u64("a", two).u64("a", two)).code(), Code::kInvalid);
  EXPECT_EQ(writer->add(TableBuilder("t").u64("", two)).code(), Code::kInvalid);
  EXPECT_EQ(writer->add(TableBuilder("more_than_sixteen").u64("a", two)).code(), Code::kInvalid);
  EXPECT_EQ(writer->add(TableBuilder("t")).code(), Code::kInvalid);
  EXPECT_TRUE(bytes.empty());
  ASSERT_TRUE(writer->close().ok());
  EXPECT_EQ(writer->add(TableBuilder("t").u64("a", two)).code(), Code::kInvalid);
  EXPECT_EQ(Writer::open(nullptr).code(), Code::kInvalid);
  EXPECT_EQ(Writer::open(std::make_unique<NullSink>(), {.chunk_rows = 0}).code(), Code::kInvalid);
}

/// Takes some appends and then says that the disk is full.
class FullSink : public MemorySink {
 public:
  FullSink(std::vector<uint8_t>& bytes, int takes) : MemorySink(bytes), left_(takes) {}
  base::Result<uint64_t> append(std::span<const uint8_t> chunk) override {
    if (left_-- <= 0) return base::Status(Code::kNoSpace, "full");
    return MemorySink::append(chunk);
  }

 private:
  int left_;
};

TEST_F(ReaderTest, AWriterTellsHowMuchOfATableItStored) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<FullSink>(bytes, 2), {.chunk_rows = 2});
  const std::vector<uint64_t> values{1, 2, 3, 4, 5};
  EXPECT_EQ(writer->add(TableBuilder("t").u64("v", values)).code(), Code::kNoSpace);
  EXPECT_EQ(writer->stored_rows(), 4u);
  auto reader = Reader::open_memory(bytes);
  EXPECT_EQ(values_of(*reader), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(writer->add(TableBuilder("t").u64("v", values)).code(), Code::kNoSpace);
  EXPECT_EQ(writer->stored_rows(), 0u);
}

TEST_F(ReaderTest, ARowLargerThanAChunkIsALimit) {
  auto writer = Writer::open(std::make_unique<NullSink>());
  const std::vector<std::string> texts{"short", std::string(kMaxPayloadBytes, 'x')};
  const auto status = writer->add(TableBuilder("names").text("text", texts));
  EXPECT_EQ(status.code(), Code::kLimit);
  EXPECT_NE(status.message().find("row 1"), std::string::npos) << status.message();
}

// More chunks than one index holds; the parts chain from the end of the file.
TEST_F(ReaderTest, FollowsAChainOfIndexes) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes));
  ChunkHeader header;
  header.kind = kind_of("EVNT");
  constexpr size_t kChunks = 140'000;
  for (size_t i = 0; i < kChunks; ++i) ASSERT_TRUE(writer->add_chunk(header, {}).ok());
  ASSERT_TRUE(writer->close().ok());
  auto reader = Reader::open_memory(bytes);
  ASSERT_EQ(reader->chunks().size(), kChunks);
  EXPECT_TRUE(reader->closed());
  for (size_t i = 0; i < kChunks; ++i) ASSERT_EQ(reader->chunks()[i].header.sequence, i);
}

}  // namespace
}  // namespace headrace::format
