#include "capture/harvest/remainder.h"

#include <gtest/gtest.h>

#include "capture/harvest/spool_builder.h"

namespace headrace::capture {
namespace {

using namespace model::counter;  // NOLINT: the counters' names

TEST(Remainder, WhatAddsUpIsSubtracted) {
  model::FileRecord before, whole;
  before.path = whole.path = "/f";
  before[writes] = 3;
  before[bytes_written] = 300;
  before[write_max_ns] = 50;
  before.sizes[model::kWrite].add(100, 3);
  before.common_sizes[model::kWrite].add(100, 3);
  whole = before;
  whole[writes] = 4;
  whole[bytes_written] = 310;
  whole[write_max_ns] = 70;
  whole.sizes[model::kWrite].add(10, 1);
  whole.common_sizes[model::kWrite].add(10, 1);
  ASSERT_TRUE(subtract(whole, before));
  EXPECT_EQ(whole[writes], 1u);
  EXPECT_EQ(whole[bytes_written], 10u);
  EXPECT_EQ(whole[write_max_ns], 70u) << "a greatest value merges with the earlier one";
  EXPECT_EQ(whole.sizes[model::kWrite].total(), 1u);
  ASSERT_EQ(whole.common_sizes[model::kWrite].values().size(), 1u);
  EXPECT_EQ(whole.common_sizes[model::kWrite].values()[0], (model::CommonValue{10, 1}));
}

TEST(Remainder, NothingIsLeftOfWhatDidNotChange) {
  model::FileRecord record;
  record[opens] = 1;
  record[flags] = 5;
  record[first_open_at_ns] = 17;
  record.properties = {{"a", "b"}};
  model::FileRecord same = record;
  EXPECT_FALSE(subtract(same, record));
  record.properties.push_back({"c", "d"});
  same = record;
  model::FileRecord less = record;
  less.properties.pop_back();
  EXPECT_TRUE(subtract(same, less));
  EXPECT_EQ(same.properties, (std::vector<model::Property>{{"c", "d"}}));
}

class Collected : public RecordSink {
 public:
  void record(const model::FileRecord& record) override { records.push_back(record); }
  std::vector<model::FileRecord> records;
};

TEST(Remainder, ACopyThatCannotBeReadIsSaid) {
  std::vector<std::byte> spool = sample_spool(), damaged(10);
  Collected sink;
  const auto contents = read_remainder(spool, damaged, "spool", Moment::now(), Moment::now(), sink);
  ASSERT_TRUE(contents.ok()) << contents.message();
  ASSERT_FALSE(contents->gaps.empty());
  EXPECT_EQ(contents->gaps.back().what, "reduced figures");
}

TEST(Remainder, OfASpoolAndItsCopyNothingIsLeft) {
  std::vector<std::byte> spool = sample_spool(), copy = spool;
  Collected sink;
  const auto contents = read_remainder(spool, copy, "spool", Moment::now(), Moment::now(), sink);
  ASSERT_TRUE(contents.ok()) << contents.message();
  EXPECT_TRUE(sink.records.empty());
  EXPECT_TRUE(contents->profiles.empty());
  EXPECT_TRUE(contents->series.empty());
  EXPECT_EQ(contents->process.process_id, 100u);
}

TEST(Remainder, ARecordThatTurnsOutToBeADirectoryStaysOne) {
  std::vector<std::byte> spool = sample_spool(), copy = spool;
  const auto* header = reinterpret_cast<const Header*>(spool.data());
  int turned = 0;
  for (uint64_t at = header->first_record; at != 0;) {
    auto* record = reinterpret_cast<Record*>(spool.data() + at);
    if (record->kind == RecordKind::kFile) {
      record->kind = RecordKind::kDirectory;
      ++turned;
    }
    at = record->next;
  }
  ASSERT_GT(turned, 0);
  Collected sink;
  const auto contents = read_remainder(spool, copy, "spool", Moment::now(), Moment::now(), sink);
  ASSERT_TRUE(contents.ok()) << contents.message();
  EXPECT_TRUE(sink.records.empty());
}

}  // namespace
}  // namespace headrace::capture
