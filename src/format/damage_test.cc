// Small files, damaged in every possible place: a stated partial result or a clear error, never a wrong value.

#include <gtest/gtest.h>

#include <set>

#include "base/stride.h"
#include "format/random_table.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

using base::Code;

constexpr int kTables = 4;

struct SmallLog {
  std::vector<RandomTable> tables;
  std::vector<uint8_t> bytes;
  size_t without_index = 0;  // length before the index was written
};

SmallLog make_small_log() {
  SmallLog log;
  Random random(1);
  auto writer = Writer::open(std::make_unique<MemorySink>(log.bytes), {.job = 9});
  for (int i = 0; i < kTables; ++i) {
    log.tables.push_back(random_table(random, "t" + std::to_string(i), 6));
    EXPECT_TRUE(writer->add(log.tables.back().builder()).ok());
  }
  log.without_index = log.bytes.size();
  EXPECT_TRUE(writer->close().ok());
  return log;
}

/// How many tables came out whole. Fails the test when one came out different from what was written.
int whole_tables(const SmallLog& log, Reader& reader) {
  int whole = 0;
  for (const RandomTable& expected : log.tables) {
    auto table = reader.table(expected.name);
    if (!table.ok()) {
      EXPECT_EQ(table.code(), Code::kNotFound) << table.message();
      continue;
    }
    if (table->rows == 0) continue;
    EXPECT_EQ(table->rows, expected.rows);
    EXPECT_EQ(table->columns.size(), expected.columns.size());
    EXPECT_TRUE(expected.matches(*table)) << expected.name;
    ++whole;
  }
  for (const std::string& name : reader.tables()) EXPECT_EQ(name.size(), 2u);  // no invented table
  return whole;
}

uint64_t damaged_bytes(const Reader& reader) {
  uint64_t sum = 0;
  for (const Damage& damage : reader.damage()) {
    EXPECT_FALSE(damage.reason.empty());
    EXPECT_LE(damage.offset + damage.bytes, reader.size());
    sum += damage.bytes;
  }
  return sum;
}

TEST(Damage, EveryTruncationKeepsTheWholeChunksBeforeIt) {
  const SmallLog log = make_small_log();
  std::set<size_t> ends;
  const auto chunks = Reader::open_memory(log.bytes)->chunks();
  for (const ChunkInfo& chunk : chunks) {
    ends.insert(chunk.offset + kHeaderSize + chunk.header.stored_length);
  }
  for (size_t length = 0; length < log.bytes.size(); ++length) {
    SCOPED_TRACE("cut to " + std::to_string(length) + " bytes");
    auto reader = Reader::open_memory({log.bytes.data(), length});
    const auto kept = static_cast<size_t>(std::distance(ends.begin(), ends.upper_bound(length)));
    if (kept == 0) {
      ASSERT_FALSE(reader.ok());
      EXPECT_EQ(reader.code(), Code::kTruncated) << reader.message();
      continue;
    }
    ASSERT_TRUE(reader.ok()) << reader.message();
    EXPECT_FALSE(reader->closed());
    EXPECT_EQ(whole_tables(log, *reader), static_cast<int>(kept));
    const size_t last_end = *std::prev(ends.upper_bound(length));
    if (length <= log.without_index) {
      EXPECT_EQ(damaged_bytes(*reader), length - last_end);
    }
  }
}

void flip_every_bit(const SmallLog& log, std::span<uint8_t> bytes, bool indexed) {
  for (size_t bit = 0; bit < bytes.size() * 8; bit += base::kStride) {
    SCOPED_TRACE("bit " + std::to_string(bit % 8) + " of byte " + std::to_string(bit / 8));
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    auto reader = Reader::open_memory(bytes);
    ASSERT_TRUE(reader.ok()) << reader.message();
    ASSERT_TRUE(reader->verify().ok());
    EXPECT_FALSE(reader->damage().empty());
    const int whole = whole_tables(log, *reader);
    EXPECT_GE(whole, kTables - 1);
    if (indexed && bit / 8 >= log.without_index) {
      EXPECT_EQ(whole, kTables);
    }
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Damage, EveryFlippedBitIsFoundAndCostsAtMostOneChunk) {
  SmallLog log = make_small_log();
  flip_every_bit(log, log.bytes, true);
}

TEST(Damage, EveryFlippedBitIsFoundWithoutAnIndexToo) {
  SmallLog log = make_small_log();
  flip_every_bit(log, std::span(log.bytes).first(log.without_index), false);
}

TEST(Damage, AnIndexMakesADamagedHeaderHarmless) {
  SmallLog log = make_small_log();
  const auto second = Reader::open_memory(log.bytes)->chunks()[1];
  log.bytes[second.offset + 30] ^= 1;
  auto reader = Reader::open_memory(log.bytes);
  EXPECT_EQ(whole_tables(log, *reader), kTables);
  EXPECT_TRUE(reader->damage().empty());
  ASSERT_TRUE(reader->verify().ok());
  ASSERT_EQ(reader->damage().size(), 1u);
  EXPECT_EQ(reader->damage()[0].offset, second.offset);
}

TEST(Damage, EveryDeletedAndInsertedByteCostsAtMostOneChunk) {
  const SmallLog log = make_small_log();
  for (size_t place = 0; place < log.without_index; place += 3) {
    SCOPED_TRACE("byte " + std::to_string(place));
    std::vector<uint8_t> less(log.bytes.begin(), log.bytes.begin() + log.without_index);
    less.erase(less.begin() + static_cast<ptrdiff_t>(place));
    std::vector<uint8_t> more(log.bytes.begin(), log.bytes.begin() + log.without_index);
    more.insert(more.begin() + static_cast<ptrdiff_t>(place), 0x89);
    for (const auto* bytes : {&less, &more}) {
      auto reader = Reader::open_memory(*bytes);
      ASSERT_TRUE(reader.ok()) << reader.message();
      EXPECT_GE(whole_tables(log, *reader), kTables - 1);
      EXPECT_FALSE(reader->damage().empty());
    }
  }
}

TEST(Damage, ALogThatWasCutBeforeAnotherLosesOnlyItsLastChunk) {
  const SmallLog log = make_small_log();
  std::vector<uint8_t> other;
  auto writer = Writer::open(std::make_unique<MemorySink>(other), {.job = 10});
  const std::vector<uint64_t> values{1, 2, 3};
  ASSERT_TRUE(writer->add(TableBuilder("u0").u64("v", values)).ok());
  ASSERT_TRUE(writer->close().ok());
  const auto chunks = Reader::open_memory(log.bytes)->chunks();
  for (size_t cut = chunks[3].offset + 1; cut < log.without_index; cut += 5) {
    std::vector<uint8_t> bytes(log.bytes.begin(), log.bytes.begin() + static_cast<ptrdiff_t>(cut));
    bytes.insert(bytes.end(), other.begin(), other.end());
    for (const size_t length : {bytes.size(), bytes.size() - 1}) {  // with and without an index of the second
      auto reader = Reader::open_memory({bytes.data(), length});
      ASSERT_TRUE(reader.ok()) << reader.message();
      EXPECT_EQ(whole_tables(log, *reader), kTables - 1);
      EXPECT_EQ(reader->table("u0")->rows, 3u);
      EXPECT_FALSE(reader->damage().empty());
    }
  }
}

TEST(Damage, SaysWhereNothingWasWritten) {
  const SmallLog log = make_small_log();
  const auto chunks = Reader::open_memory(log.bytes)->chunks();
  std::vector<uint8_t> bytes(log.bytes.begin(), log.bytes.begin() + static_cast<ptrdiff_t>(log.without_index));
  bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(chunks[2].offset), 1'000'000, 0);
  auto reader = Reader::open_memory(bytes);
  EXPECT_EQ(whole_tables(log, *reader), kTables);
  ASSERT_EQ(reader->damage().size(), 1u);
  EXPECT_EQ(reader->damage()[0].offset, chunks[2].offset);
  EXPECT_EQ(reader->damage()[0].bytes, 1'000'000u);
  EXPECT_EQ(reader->damage()[0].reason, "nothing was ever written here");
}

}  // namespace
}  // namespace headrace::format
