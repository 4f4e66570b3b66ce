// tests/golden/v1.hr was written by the first release of the format. It stays readable for ever, value by value.
//
// To make a golden file of a new version: HEADRACE_WRITE_GOLDEN=<new path> format_test --gtest_filter='Golden.*'

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/bytes.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

constexpr const char* kPath = HEADRACE_SOURCE_DIR "/tests/golden/v1.hr";
constexpr uint64_t kJob = 0x686561647261ce01;

// One column for every type, encoding and width of version 1.
const std::vector<uint64_t> kRecords = {0xfeedfacecafebeef, 1, 0x8000000000000000, 42, 7};
const std::vector<uint64_t> kZeros(5, 0);
const std::vector<uint64_t> kOpens = {3, 1, 255, 2, 0};
const std::vector<uint64_t> kBytes = {1000, 66535, 70, 0, 1};
const std::vector<uint64_t> kTimes = {5'000'000'000, 5'000'000'001, 6'000'000'000, 5'123'456'789, 5'000'000'002};
const std::vector<int64_t> kRanks = {-1, 0, 1, -128, 127};
const std::vector<double> kRates = {0.5, -1.25, 1e300, 0.0, 3.141592653589793};
const std::vector<double> kHalves(5, 0.5);
const std::vector<std::string_view> kKinds = {"file", "file", "stream", "file", "pipe"};
const std::vector<std::string_view> kPaths = {"/scratch/a", "", "/home/\xff\xfe not UTF-8", "/scratch/b", "/scratch/c"};
const std::vector<std::string_view> kHosts(5, "node1");
const std::vector<std::string_view> kKeys = {"format_version", "complete"};
const std::vector<std::string_view> kValues = {"1", "yes"};
const std::vector<std::string_view> kLater = {"complete"};
const std::vector<std::string_view> kLaterValue = {"no: 1 processes still running"};
const std::vector<uint8_t> kOpaque = {'a', 0, 'b', 255};

void write_golden(const std::string& path) {
  auto sink = FileSink::open(path, FileSink::Mode::kCreate);
  ASSERT_TRUE(sink.ok()) << sink.message();
  const WriterOptions options{.job = kJob, .producer = {.process = 77, .rank = 3, .thread = 1}, .chunk_rows = 3};
  auto writer = Writer::open(std::move(*sink), options);
  ASSERT_TRUE(writer->add(TableBuilder("job").text("key", kKeys).text("value", kValues)).ok());
  TableBuilder files("files");
  files.u64("record", kRecords).u64("zeros", kZeros).u64("opens", kOpens).u64("bytes", kBytes).u64("times", kTimes);
  files.i64("rank", kRanks).f64("rate", kRates).f64("half", kHalves);
  files.text("kind", kKinds).text("path", kPaths).text("host", kHosts);
  ASSERT_TRUE(writer->add(files.time_range(5, 6'000'000'000).version(2)).ok());
  ChunkHeader opaque;
  opaque.kind = kind_of("WXYZ");
  opaque.set_name("later");
  ASSERT_TRUE(writer->add_chunk(opaque, kOpaque).ok());
  ASSERT_TRUE(writer->close().ok());
  auto more = Writer::append(path, {.producer = options.producer});
  ASSERT_TRUE(more->add(TableBuilder("job").text("key", kLater).text("value", kLaterValue)).ok());
  ASSERT_TRUE(more->close().ok());
}

void check_golden(Reader& reader) {
  EXPECT_TRUE(reader.closed());
  EXPECT_EQ(reader.jobs(), std::vector<uint64_t>{kJob});
  EXPECT_EQ(reader.tables(), (std::vector<std::string>{"job", "files"}));
  ASSERT_EQ(reader.chunks().size(), 5u);
  const ChunkHeader& second = reader.chunks()[2].header;
  EXPECT_EQ(second.producer, (Producer{.process = 77, .rank = 3, .thread = 1}));
  EXPECT_EQ(second.sequence, 2u);
  EXPECT_EQ(second.rows, 2u);
  EXPECT_EQ(second.version, 2u);
  EXPECT_EQ(second.begin_at_ns, 5u);
  EXPECT_EQ(second.end_at_ns, 6'000'000'000u);

  const auto files = reader.table("files");
  ASSERT_TRUE(files.ok()) << files.message();
  ASSERT_EQ(files->rows, 5u);
  ASSERT_EQ(files->columns.size(), 11u);
  for (uint64_t row = 0; row < 5; ++row) {
    EXPECT_EQ(files->find("record")->u64(row), kRecords[row]);
    EXPECT_EQ(files->find("zeros")->u64(row), 0u);
    EXPECT_EQ(files->find("opens")->u64(row), kOpens[row]);
    EXPECT_EQ(files->find("bytes")->u64(row), kBytes[row]);
    EXPECT_EQ(files->find("times")->u64(row), kTimes[row]);
    EXPECT_EQ(files->find("rank")->i64(row), kRanks[row]);
    EXPECT_EQ(files->find("rate")->f64(row), kRates[row]);
    EXPECT_EQ(files->find("half")->f64(row), 0.5);
    EXPECT_EQ(files->find("kind")->text(row), kKinds[row]);
    EXPECT_EQ(files->find("path")->text(row), kPaths[row]);
    EXPECT_EQ(files->find("host")->text(row), "node1");
  }
  EXPECT_TRUE(files->find("host")->constant);
  const auto job = reader.table("job");
  ASSERT_EQ(job->rows, 3u);
  EXPECT_EQ(job->find("value")->text(2), kLaterValue[0]);
  EXPECT_EQ(kind_text(reader.chunks()[3].header.kind), "WXYZ");
  EXPECT_EQ(*reader.payload(reader.chunks()[3]), kOpaque);
  EXPECT_TRUE(reader.verify().ok());
  EXPECT_TRUE(reader.damage().empty());
}

TEST(Golden, TheFirstVersionStaysReadable) {
  if (const char* path = std::getenv("HEADRACE_WRITE_GOLDEN")) write_golden(path);
  auto reader = Reader::open(kPath);
  ASSERT_TRUE(reader.ok()) << reader.message();
  check_golden(*reader);
}

TEST(Golden, TheFirstVersionStaysReadableWithoutItsIndex) {
  std::ifstream file(kPath, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_GT(bytes.size(), 1000u);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  auto reader = Reader::open_memory(base::as_bytes(bytes));
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_FALSE(reader->closed());
  EXPECT_EQ(reader->chunks().size(), 5u);
  EXPECT_EQ(reader->table("files")->rows, 5u);
  EXPECT_EQ(reader->damage().size(), 1u);
}

}  // namespace
}  // namespace headrace::format
