// Random tables survive writing and reading, however they are cut into chunks.

#include <gtest/gtest.h>

#include "format/random_table.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

class RoundTrip : public testing::TestWithParam<uint64_t> {};

TEST_P(RoundTrip, KeepsEveryValue) {
  Random random(GetParam());
  WriterOptions options{.chunk_rows = static_cast<uint32_t>(1 + random.below(500)),
                        .chunk_bytes = static_cast<uint32_t>(1 + random.below(100'000)),
                        .planes = GetParam() % 2 == 1};
  std::vector<RandomTable> tables;
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes), options);
  for (int i = 0; i < 5; ++i) {
    tables.push_back(random_table(random, "t" + std::to_string(i), random.below(random.below(2) == 0 ? 4 : 3000)));
    ASSERT_TRUE(writer->add(tables.back().builder()).ok());
  }
  ASSERT_TRUE(writer->close().ok());
  EXPECT_EQ(writer->bytes(), bytes.size());

  auto reader = Reader::open_memory(bytes);
  ASSERT_TRUE(reader.ok()) << reader.message();
  for (const RandomTable& expected : tables) {
    auto table = reader->table(expected.name);
    ASSERT_TRUE(table.ok()) << table.message();
    EXPECT_EQ(table->rows, expected.rows);
    EXPECT_EQ(table->columns.size(), expected.columns.size());
    EXPECT_TRUE(expected.matches(*table)) << expected.name;
  }
  EXPECT_TRUE(reader->verify().ok());
  EXPECT_TRUE(reader->damage().empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip, testing::Range<uint64_t>(0, 60));

TEST(RoundTripEdges, TakesEveryWidthBoundary) {
  std::vector<uint64_t> values;
  for (const uint64_t edge : {0ull, 0xffull, 0x100ull, 0xffffull, 0x10000ull, 0xffffffffull, 0x100000000ull, ~0ull}) {
    for (const uint64_t base : {0ull, 1ull, 1ull << 63, ~0ull - edge}) {
      values = {base, base + edge, base};
      const std::vector<int64_t> same{static_cast<int64_t>(values[0]), static_cast<int64_t>(values[1]), -1};
      for (const bool planes : {false, true}) {
        std::vector<uint8_t> bytes;
        auto writer = Writer::open(std::make_unique<MemorySink>(bytes), {.planes = planes});
        ASSERT_TRUE(writer->add(TableBuilder("t").u64("u", values).i64("i", same)).ok());
        ASSERT_TRUE(writer->close().ok());
        auto table = Reader::open_memory(bytes)->table("t");
        for (size_t row = 0; row < 3; ++row) {
          EXPECT_EQ(table->find("u")->u64(row), values[row]);
          EXPECT_EQ(table->find("i")->i64(row), same[row]);
        }
      }
    }
  }
}

TEST(RoundTripEdges, ReadsMembersOfAStructure) {
  struct Record {
    uint64_t opens;
    char filler[24];
    uint64_t bytes;
  };
  std::vector<Record> records(1000);
  for (size_t i = 0; i < records.size(); ++i) records[i] = {i, {}, i * i};
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes), {.chunk_rows = 300});
  TableBuilder table("files");
  table.u64("opens", &records[0].opens, records.size(), sizeof(Record))
      .u64("bytes", &records[0].bytes, records.size(), sizeof(Record))
      .constant_u64("process", 42, records.size());
  ASSERT_TRUE(writer->add(table).ok());
  ASSERT_TRUE(writer->close().ok());
  auto files = Reader::open_memory(bytes)->table("files");
  EXPECT_EQ(files->find("opens")->u64(999), 999u);
  EXPECT_EQ(files->find("bytes")->u64(999), 999u * 999);
  EXPECT_TRUE(files->find("process")->constant);
  EXPECT_EQ(files->find("process")->bits, 42u);
}

TEST(RoundTripEdges, KeepsTablesWithoutRows) {
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes));
  const std::vector<uint64_t> none;
  ASSERT_TRUE(writer->add(TableBuilder("gaps").u64("amount", none).text("what", std::span<const std::string>())).ok());
  ASSERT_TRUE(writer->close().ok());
  auto gaps = Reader::open_memory(bytes)->table("gaps");
  ASSERT_TRUE(gaps.ok()) << gaps.message();
  EXPECT_EQ(gaps->rows, 0u);
  EXPECT_EQ(gaps->columns.size(), 2u);
}

TEST(RoundTripEdges, StoresZerosAlmostForFree) {
  const std::vector<uint64_t> zeros(60'000);
  std::vector<uint8_t> bytes;
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes));
  TableBuilder table("files");
  for (int i = 0; i < 60; ++i) table.u64("counter" + std::to_string(i), zeros);
  ASSERT_TRUE(writer->add(table).ok());
  EXPECT_LT(bytes.size(), 10'000u);
  auto files = Reader::open_memory(bytes)->table("files");
  for (const Column& column : files->columns) {
    EXPECT_TRUE(column.constant);
    EXPECT_EQ(column.words, nullptr);
  }
}

}  // namespace
}  // namespace headrace::format
