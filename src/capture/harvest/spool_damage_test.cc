// Spools that are cut, scribbled over or something else altogether.
#include <gtest/gtest.h>

#include <random>

#include "base/stride.h"
#include "capture/harvest/spool_builder.h"
#include "capture/harvest/spool_reader.h"

namespace headrace::capture {
namespace {

namespace counter = model::counter;

struct Totals : RecordSink {
  void record(const model::FileRecord& record) override {
    ++records;
    opens += record[counter::opens];
    writes += record[counter::writes];
  }
  uint64_t records = 0, opens = 0, writes = 0;
};

Moment damage_moment(uint64_t ns) { return {ns, ns, 1'700'000'000'000'000'000 + ns - 1'000'000'000, ns}; }

base::Result<SpoolContents> read(std::vector<std::byte>& bytes, RecordSink& sink) {
  return read_spool(bytes, "1.spool", damage_moment(900'000'000), damage_moment(3'000'000'000), sink);
}

bool says_damage(const SpoolContents& contents) {
  for (const model::Gap& gap : contents.gaps) {
    if (gap.what == "damaged spool") return true;
  }
  return false;
}

TEST(SpoolDamage, EveryTruncationIsAnErrorOrSaid) {
  const std::vector<std::byte> whole = sample_spool();
  for (size_t length = 0; length < whole.size(); length += base::kStride) {
    // A buffer of its own, so that a sanitizer sees every byte read too far.
    std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    Totals totals;
    auto result = read(cut, totals);
    if (length < sizeof(Header)) {
      EXPECT_EQ(result.code(), base::Code::kTruncated) << length;
    } else {
      ASSERT_TRUE(result.ok()) << length;
      EXPECT_TRUE(says_damage(*result)) << length;
    }
  }
}

TEST(SpoolDamage, RandomBitFlipsNeverCrashOrHang) {
  const std::vector<std::byte> whole = sample_spool();
  std::mt19937_64 random(11);
  for (size_t round = 0; round < 20000; round += base::kStride) {
    std::vector<std::byte> bytes = whole;
    for (uint64_t flips = 1 + random() % 8; flips > 0; --flips) {
      bytes[random() % bytes.size()] ^= std::byte{1} << (random() % 8);
    }
    Totals totals;
    auto result = read(bytes, totals);
    EXPECT_LE(totals.records, whole.size() / sizeof(Record) + kExclusionRules + 1);
    if (!result.ok()) {
      EXPECT_FALSE(result.message().empty());
    }
  }
}

TEST(SpoolDamage, RandomWordsInPlaceOfOffsets) {
  const std::vector<std::byte> whole = sample_spool();
  std::mt19937_64 random(12);
  for (size_t round = 0; round < 20000; round += base::kStride) {
    std::vector<std::byte> bytes = whole;
    for (int i = 0; i < 4; ++i) {
      const uint32_t word =
          random() % 2 ? static_cast<uint32_t>(random() % bytes.size()) & ~7u : static_cast<uint32_t>(random());
      const size_t place = 24 + (random() % (bytes.size() / 4 - 6)) * 4;  // behind magic, version and header_bytes
      std::memcpy(bytes.data() + place, &word, sizeof word);
    }
    Totals totals;
    EXPECT_TRUE(read(bytes, totals).ok());
  }
}

TEST(SpoolDamage, RingsAndSharedBlocksCountOnce) {
  SpoolBuilder b;
  const uint32_t first = b.record("/a"), second = b.record("/b");
  const uint32_t shard = b.shard(first);
  b.at<Shard>(shard).opens = 1;
  b.at<Record>(second).first_shard = shard;  // two records with one shard
  b.at<Record>(first).next = second;         // and a ring of records
  b.at<ThreadBlock>(b.thread()).next = b.header().first_thread;
  std::vector<std::byte> bytes = b.finish();
  Totals totals;
  auto result = read(bytes, totals);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(totals.opens, 1u);
  EXPECT_EQ(result->process.threads, 1u);
  EXPECT_TRUE(says_damage(*result));
}

TEST(SpoolDamage, HostileJournalCannotReachTheHeader) {
  SpoolBuilder b;
  ThreadBlock& thread = b.at<ThreadBlock>(b.thread());
  thread.journal[0] = {0, 0, 0};
  thread.journal_used = 1;
  std::vector<std::byte> bytes = b.finish();
  Totals totals;
  auto result = read(bytes, totals);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(says_damage(*result));
  thread.journal_used = UINT32_MAX;
  bytes = b.finish();
  result = read(bytes, totals);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(says_damage(*result));
}

TEST(SpoolDamage, ContradictingFiguresAreSaid) {
  SpoolBuilder b;
  const uint32_t d = b.direction(b.shard(b.record("/a")), kWrite);
  b.at<Detail>(b.detail(d)).operations = 1'000'000;  // no size bucket has them
  std::vector<std::byte> bytes = b.finish();
  Totals totals;
  auto result = read(bytes, totals);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(says_damage(*result));
}

TEST(SpoolDamage, OtherFilesAreRefused) {
  Totals totals;
  std::vector<std::byte> zeros(65536);
  EXPECT_EQ(read(zeros, totals).code(), base::Code::kTruncated) << "killed while the spool was being made";
  std::vector<std::byte> text(65536, std::byte{'x'});
  EXPECT_EQ(read(text, totals).code(), base::Code::kForeign);
  std::vector<std::byte> newer = sample_spool();
  newer[8] = std::byte{kSpoolVersion + 1};
  auto result = read(newer, totals);
  EXPECT_EQ(result.code(), base::Code::kUnsupported);
  EXPECT_NE(result.message().find("version " + std::to_string(kSpoolVersion + 1)), std::string::npos);
  EXPECT_EQ(totals.records, 0u);
}

}  // namespace
}  // namespace headrace::capture
