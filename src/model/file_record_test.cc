#include "model/file_record.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace headrace::model {
namespace {

FileRecord random_record(std::mt19937_64& random) {
  FileRecord record;
  record.path = record.final_path = "/data/a";
  for (uint64_t& value : record.counters) value = random() % 4 ? random() % 5 : 0;  // small, so that ties are common
  for (uint32_t d = 0; d < kDirections; ++d) {
    for (int i = 0; i < 3; ++i) {
      record.sizes[d].add(random() % 5000, random() % 3);
      record.common_sizes[d].add(static_cast<int64_t>(random() % 4), random() % 3);
      record.common_strides[d].add(static_cast<int64_t>(random() % 4) - 2, random() % 3);
    }
    record.common_sizes[d].exact = random() % 2;
  }
  return record;
}

FileRecord sum(FileRecord a, const FileRecord& b) {
  merge(a, b);
  return a;
}

TEST(FileRecord, MergingIsAssociativeAndCommutative) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const FileRecord a = random_record(random), b = random_record(random), c = random_record(random);
    EXPECT_EQ(sum(a, b), sum(b, a));
    EXPECT_EQ(sum(sum(a, b), c), sum(a, sum(b, c)));
    FileRecord empty;
    empty.path = a.path, empty.final_path = a.final_path, empty.kind = a.kind, empty.layer = a.layer;
    EXPECT_EQ(sum(a, empty), a) << "an empty record is neutral";
  }
}

TEST(FileRecord, EveryRuleDoesWhatItSays) {
  Counters a{}, b{};
  a[counter::reads] = 2, b[counter::reads] = 3;
  a[counter::read_max_ns] = 7, b[counter::read_max_ns] = 9;
  a[counter::read_max_size] = 100, b[counter::read_max_size] = 10;
  a[counter::first_open_at_ns] = 0, b[counter::first_open_at_ns] = 50;
  a[counter::first_read_at_ns] = 20, b[counter::first_read_at_ns] = 50;
  a[counter::last_read_at_ns] = 20, b[counter::last_read_at_ns] = 50;
  a[counter::flags] = flag::created, b[counter::flags] = flag::append;
  merge(a, b);
  EXPECT_EQ(a[counter::reads], 5u);
  EXPECT_EQ(a[counter::read_max_ns], 9u);
  EXPECT_EQ(a[counter::read_max_size], 10u) << "the size belongs to the longest read, not the largest";
  EXPECT_EQ(a[counter::first_open_at_ns], 50u) << "0 means never";
  EXPECT_EQ(a[counter::first_read_at_ns], 20u);
  EXPECT_EQ(a[counter::last_read_at_ns], 50u);
  EXPECT_EQ(a[counter::flags], uint64_t{flag::created} | flag::append);
}

TEST(Counters, AreNamedOnceAndWithPointsBack) {
  std::set<std::string_view> names;
  for (uint32_t i = 0; i < counter::kCount; ++i) {
    EXPECT_TRUE(names.insert(kCounters[i].name).second) << kCounters[i].name;
    EXPECT_FALSE(kCounters[i].doc.empty());
    if (kCounters[i].merge.kind == MergeKind::kWith) {
      EXPECT_LT(kCounters[i].merge.with, i);
    }
  }
  std::set<uint32_t> bits;
  for (const FlagInfo& each : kFlags) EXPECT_TRUE(bits.insert(each.bit).second) << each.name;
}

TEST(SizeHistogram, BucketsEndAtPowersOfTwo) {
  EXPECT_EQ(SizeHistogram::bucket_of(0), 0u);
  EXPECT_EQ(SizeHistogram::bucket_of(1), 0u);
  EXPECT_EQ(SizeHistogram::bucket_of(2), 1u);
  for (uint32_t b = 1; b < 32; ++b) {
    EXPECT_EQ(SizeHistogram::bucket_of(uint64_t{1} << b), b);
    EXPECT_EQ(SizeHistogram::bucket_of((uint64_t{1} << b) + 1), b + 1);
  }
  EXPECT_EQ(SizeHistogram::bucket_of(UINT64_MAX), SizeHistogram::kBuckets - 1);
}

TEST(CommonValues, MostCommonComeFirst) {
  CommonValues values;
  values.add(8, 1);
  values.add(-4, 3);
  values.add(2, 3);
  values.add(8, 1);
  values.add(5, 0);
  const std::vector<CommonValue> expected = {{-4, 3}, {2, 3}};
  EXPECT_EQ(values.most_common(2), expected);
  EXPECT_EQ(values.most_common(9).size(), 3u);
}

TEST(RecordId, DependsOnProcessPathAndKind) {
  const uint64_t id = record_id(1, "/a", FileKind::kFile);
  EXPECT_EQ(id, record_id(1, "/a", FileKind::kFile));
  EXPECT_NE(id, record_id(2, "/a", FileKind::kFile));
  EXPECT_NE(id, record_id(1, "/b", FileKind::kFile));
  EXPECT_NE(id, record_id(1, "/a", FileKind::kDirectoryRollup));
}

}  // namespace
}  // namespace headrace::model
