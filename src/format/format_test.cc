// Writer and Reader together: what goes in comes out.

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

using base::Code;

std::vector<uint8_t> small_log(WriterOptions options = {}) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes), options);
  const std::vector<std::string_view> keys{"host", "exit_status"};
  const std::vector<std::string> values{"node1", "0"};
  const std::vector<uint64_t> opens{3, 0, 4'000'000'000};
  const std::vector<int64_t> ranks{-1, 0, std::numeric_limits<int64_t>::min()};
  EXPECT_TRUE(writer->add(TableBuilder("job").text("key", keys).text("value", values)).ok());
  EXPECT_TRUE(writer->add(TableBuilder("files").u64("opens", opens).i64("rank", ranks).time_range(5, 9)).ok());
  EXPECT_TRUE(writer->close().ok());
  return bytes;
}

TEST(Format, ReadsBackWhatWasWritten) {
  const std::vector<uint8_t> bytes = small_log({.job = 77, .producer = {.process = 5, .rank = 1, .thread = 2}});
  auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.ok()) << reader.message();
  EXPECT_TRUE(reader->closed());
  EXPECT_EQ(reader->tables(), (std::vector<std::string>{"job", "files"}));
  EXPECT_EQ(reader->jobs(), std::vector<uint64_t>{77});
  const ChunkHeader& header = reader->chunks()[1].header;
  EXPECT_EQ(header.producer, (Producer{.process = 5, .rank = 1, .thread = 2}));
  EXPECT_EQ(header.sequence, 1u);
  EXPECT_EQ(header.begin_at_ns, 5u);
  EXPECT_EQ(header.end_at_ns, 9u);

  auto files = reader->table("files");
  ASSERT_TRUE(files.ok()) << files.message();
  ASSERT_EQ(files->rows, 3u);
  EXPECT_EQ(files->find("opens")->u64(2), 4'000'000'000u);
  EXPECT_EQ(files->find("rank")->i64(0), -1);
  EXPECT_EQ(files->find("rank")->i64(2), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(files->find("absent"), nullptr);
  auto job = reader->table("job");
  EXPECT_EQ(job->find("key")->text(1), "exit_status");
  EXPECT_EQ(job->find("value")->text(0), "node1");
  EXPECT_EQ(reader->table("sizes").code(), Code::kNotFound);
  EXPECT_TRUE(reader->damage().empty());
}

}  // namespace
}  // namespace headrace::format
