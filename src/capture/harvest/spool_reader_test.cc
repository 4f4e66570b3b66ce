#include "capture/harvest/spool_reader.h"
#include "intercept/functions.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>

#include "capture/harvest/spool_builder.h"

namespace headrace::capture {
namespace {

namespace counter = model::counter;

struct Records : RecordSink {
  void record(const model::FileRecord& record) override {
    by_path[record.path] = record;
    ++count;
  }
  std::map<std::string, model::FileRecord> by_path;
  int count = 0;
};

Moment reader_moment(uint64_t ns) { return {ns, ns, 1'700'000'000'000'000'000 + ns - 1'000'000'000, ns}; }
const Moment kReaderStart = reader_moment(900'000'000), kNow = reader_moment(3'000'000'000);

struct Reading {
  explicit Reading(std::vector<std::byte> spool) : bytes(std::move(spool)) {
    auto result = read_spool(bytes, "1.spool", kReaderStart, kNow, records);
    if (result.ok())
      contents = std::move(*result);
    else
      status = result.status();
  }
  const model::FileRecord& operator[](const std::string& path) { return records.by_path[path]; }
  std::string gaps() const {
    std::string all;
    for (const model::Gap& gap : contents.gaps) all += gap.what + "=" + std::to_string(gap.amount) + " ";
    return all;
  }
  std::vector<std::byte> bytes;
  Records records;
  SpoolContents contents;
  base::Status status;
};

TEST(SpoolReader, ReadsEverything) {
  Reading r(sample_spool());
  ASSERT_TRUE(r.status.ok()) << r.status.message();
  EXPECT_EQ(r.gaps(), "");
  EXPECT_EQ(r.records.count, 4);
  const model::FileRecord& file = r["/data/out.tmp"];
  EXPECT_EQ(file.final_path, "/data/out.h5");
  EXPECT_EQ(file[counter::opens], 2u);
  EXPECT_EQ(file[counter::writes], 2u * (10 + 1 + 3));
  EXPECT_EQ(file[counter::bytes_written], 2u * (40960 + 300));
  EXPECT_EQ(file[counter::writes_consecutive], 2u * 11);
  EXPECT_EQ(file[counter::writes_forward], 2u * 2);
  EXPECT_EQ(file[counter::write_end], 40960u);
  EXPECT_EQ(file[counter::write_ns], 10000u);
  EXPECT_EQ(file[counter::write_max_ns], 900u);
  EXPECT_EQ(file[counter::write_max_size], 4096u);
  EXPECT_EQ(file[counter::seeks], 4u);
  EXPECT_EQ(file[counter::switches], 2u);
  EXPECT_EQ(file[counter::first_open_at_ns], 200'000'000u);
  EXPECT_EQ(file[counter::last_write_at_ns], 400'000'000u);
  EXPECT_EQ(file[counter::last_close_at_ns], 1'000'000'000u);
  EXPECT_EQ(file.sizes[model::kWrite].counts[0], 2u);
  EXPECT_EQ(file.sizes[model::kWrite].counts[7], 6u);
  EXPECT_EQ(file.sizes[model::kWrite].counts[12], 20u);
  const std::vector<model::CommonValue> sizes = {{100, 6}, {4096, 20}}, strides = {{512, 4}};
  EXPECT_EQ(file.common_sizes[model::kWrite].values(), sizes);
  EXPECT_EQ(file.common_strides[model::kWrite].values(), strides);
  EXPECT_EQ(r["pipe:[17]"].kind, model::FileKind::kPipe);
  EXPECT_EQ(r["pipe:[17]"][counter::reads], 4u);
  EXPECT_EQ(r["/data/small/**"].kind, model::FileKind::kDirectoryRollup);
  EXPECT_EQ(r["/data/small/**"][counter::folded_files], 5000u);
  EXPECT_EQ(r["/etc/**"].kind, model::FileKind::kExcludedRollup);
  EXPECT_EQ(r["/etc/**"][counter::opens], 4u);
  EXPECT_EQ(r["/etc/**"][counter::bytes_read], 1000u);
}

TEST(SpoolReader, ReadsTheProcess) {
  Reading r(sample_spool());
  const model::Process& p = r.contents.process;
  EXPECT_EQ(p.process_id, 100u);
  EXPECT_EQ(p.parent_process_id, 99u);
  EXPECT_EQ(p.executable, "/usr/bin/program");
  EXPECT_EQ(p.arguments, std::string("program\0-v\0", 11));
  EXPECT_EQ(p.working_directory, "/data");
  EXPECT_EQ(p.ended, model::Ended::kExit);
  EXPECT_EQ(p.exit_status, 0);
  EXPECT_EQ(p.start_at_ns, 100'000'000u);
  EXPECT_EQ(p.end_at_ns, 1'100'000'000u);
  EXPECT_EQ(p.threads, 2u);
  EXPECT_EQ(p.records, 3u);
  ASSERT_EQ(r.contents.profiles.size(), 1u);
  EXPECT_EQ(r.contents.profiles[0].calls, 28u);
  EXPECT_EQ(r.contents.profiles[0].time_ns, 10000u);
  ASSERT_EQ(r.contents.series.size(), 1u);
  EXPECT_EQ(r.contents.series[0].bytes, 2u * 41260);
  EXPECT_EQ(r.contents.series[0].width_ns, 1u << 22);
  EXPECT_EQ(r.contents.series[0].start_at_ns, 100'000'000u + 3 * (1u << 22));
}

TEST(SpoolReader, PatternOfPendingRuns) {
  SpoolBuilder b;
  Direction& d = b.at<Direction>(b.direction(b.shard(b.record("/a")), kRead));
  d.previous_count = 1, d.previous_size = 100, d.previous_gap = kUnknownGap;  // ends at 1000
  d.run_count = 3, d.run_size = 10, d.run_gap = -50;                          // 960, 920, 880
  d.last_end = 880;
  Reading r(b.finish());
  EXPECT_EQ(r["/a"][counter::reads], 4u);
  EXPECT_EQ(r["/a"][counter::reads_backward], 3u);
  EXPECT_EQ(r["/a"][counter::reads_forward], 0u);
  EXPECT_EQ(r["/a"][counter::read_end], 1000u);
  EXPECT_EQ(r["/a"].common_strides[model::kRead].values(), (std::vector<model::CommonValue>{{-50, 3}}));
}

TEST(SpoolReader, ScribbledRunsHaveNoEnd) {  // found by fuzzing: a product beyond 128 bits
  SpoolBuilder b;
  Direction& d = b.at<Direction>(b.direction(b.shard(b.record("/a")), kRead));
  d.run_count = d.run_size = UINT64_MAX - 1;
  d.run_gap = 1;
  Reading r(b.finish());
  EXPECT_EQ(r["/a"][counter::read_end], 0u);
}

TEST(SpoolReader, SeriesOfUnequalWidthsAreAdded) {
  SpoolBuilder b;
  const uint32_t fine = b.thread(), coarse = b.thread();
  for (uint32_t bin = 0; bin < kSeriesBins; ++bin) b.at<ThreadBlock>(fine).series[bin].bytes[kRead] = 1;
  b.at<ThreadBlock>(coarse).series_shift = 25;
  b.at<ThreadBlock>(coarse).series[1].bytes[kRead] = 100;
  Reading r(b.finish());
  uint64_t total = 0;
  for (const model::SeriesBin& bin : r.contents.series) total += bin.bytes;
  EXPECT_EQ(total, 300u);
  ASSERT_EQ(r.contents.series.size(), 25u);
  EXPECT_EQ(r.contents.series[1].bytes, 108u);
  EXPECT_EQ(r.contents.series[1].width_ns, 1u << 25);
}

TEST(SpoolReader, KilledProcessIsLeftOpen) {
  SpoolBuilder b;
  b.header().ended = EndKind::kNone;
  b.header().ticks[1] = b.header().monotonic_ns[1] = 0;
  b.at<ThreadBlock>(b.thread()).busy = 0x7fff0000;
  b.at<Direction>(b.direction(b.shard(b.record("/a")), kRead)).last_time = 1'400'000'000;
  Reading r(b.finish());
  EXPECT_EQ(r.contents.process.ended, model::Ended::kUnknown);
  EXPECT_EQ(r.contents.process.exit_status, -1);
  EXPECT_EQ(r.contents.process.uncertain_operations, 1u);
  EXPECT_EQ(r.contents.process.end_at_ns, 500'000'000u);
}

TEST(SpoolReader, JournalIsUndoneLastFirst) {
  SpoolBuilder b;
  const uint32_t d = b.direction(b.shard(b.record("/a")), kWrite);
  b.at<Direction>(d).run_count = 1;
  b.at<Direction>(d).run_size = 77;
  ThreadBlock& thread = b.at<ThreadBlock>(b.thread());
  const auto word = [&](size_t member) { return static_cast<uint32_t>(d + member); };
  thread.journal[0] = {5, word(offsetof(Direction, run_count)), 0};
  thread.journal[1] = {10, word(offsetof(Direction, run_size)), 0};
  thread.journal[2] = {6, word(offsetof(Direction, run_count)), 0};  // a second change of the same word
  thread.journal_used = 3;
  thread.busy = 1;
  Reading r(b.finish());
  EXPECT_EQ(r["/a"][counter::writes], 5u);
  EXPECT_EQ(r["/a"][counter::bytes_written], 50u);
}

struct Fold {
  Fold() {
    target = b.shard(b.record("/d/*", RecordKind::kDirectoryRollup));
    const uint32_t d = b.direction(target, kWrite);
    b.detail(d);
    b.metadata(target);
    victim = b.shard(b.record("/d/a"));
    b.at<Shard>(victim).opens = 1;
    b.header().fold_copy = b.make<FoldCopy>();
    FoldCopy& copy = b.at<FoldCopy>(b.header().fold_copy);
    copy.shard = b.at<Shard>(target);
    copy.shard.opens = 10;
    copy.directions[kWrite] = b.at<Direction>(d);
    copy.details[kWrite].operations = copy.details[kWrite].histogram[0] = 3;
    b.at<Shard>(target).opens = 11;  // the fold got this far
    b.at<Detail>(b.at<Direction>(d).detail).operations = 99;
    b.header().fold_victim = victim;
    b.header().fold_target = target;
  }
  SpoolBuilder b;
  uint32_t target, victim;
};

TEST(SpoolReader, UnfinishedFoldIsTakenBack) {
  Fold fold;
  Reading r(fold.b.finish());
  EXPECT_EQ(r.gaps(), "");
  EXPECT_EQ(r["/d/**"][counter::opens], 10u);
  EXPECT_EQ(r["/d/**"][counter::writes], 3u);
  EXPECT_EQ(r["/d/a"][counter::opens], 1u);
}

TEST(SpoolReader, FinishedFoldCountsOnce) {
  Fold fold;
  fold.b.at<Shard>(fold.victim).state = kFolded;
  Reading r(fold.b.finish());
  EXPECT_EQ(r["/d/**"][counter::opens], 11u);
  EXPECT_EQ(r.records.by_path.count("/d/a"), 0u);
}

TEST(SpoolReader, HalfFoldedRecordIsMarkedPartial) {
  Fold fold;
  fold.b.header().fold_victim = 0;
  fold.b.at<Shard>(fold.victim).state = kFolded;
  const uint32_t other = fold.b.shard(fold.b.at<Shard>(fold.victim).record);
  fold.b.at<Shard>(other).opens = 2;
  Reading r(fold.b.finish());
  EXPECT_EQ(r["/d/a"][counter::opens], 2u);
  EXPECT_TRUE(r["/d/a"][counter::flags] & model::flag::partial);
}

TEST(SpoolReader, WhatBelongsToNoFileIsSaid) {
  SpoolBuilder b;
  ThreadBlock& thread = b.at<ThreadBlock>(b.thread());
  thread.unattributed[kRead] = 2, thread.unattributed_bytes[kRead] = 20, thread.unattributed_other = 3;
  thread.child[kWrite] = 4, thread.child_bytes[kWrite] = 40, thread.child_other = 5;
  b.header().io_uring = 1;
  b.header().homeless[kWrite] = 6, b.header().homeless_bytes[kWrite] = 600, b.header().homeless_other = 7;
  Reading r(b.finish());
  EXPECT_EQ(r.contents.process.unattributed_operations, 18u);
  EXPECT_EQ(r.contents.process.unattributed_bytes, 620u);
  EXPECT_EQ(r.gaps(), "reads and writes=8 reads and writes=620 other calls=10 io_uring=1 ");
  EXPECT_EQ(r.contents.child_other, 5u);
  ASSERT_EQ(r.records.count, 1);
  EXPECT_EQ(r.records.by_path.begin()->second.kind, model::FileKind::kVforkChild);
  EXPECT_EQ(r.records.by_path.begin()->second[counter::bytes_written], 40u);
}

TEST(SpoolReader, WantOfMemoryIsNamedWhereThereWasSome) {
  for (const bool folded : {false, true}) {
    SpoolBuilder b;
    b.at<ThreadBlock>(b.thread()).unattributed[kWrite] = 1;
    b.header().folded_records = folded;
    b.header().limit = uint64_t{4} << 20;
    Reading r(b.finish());
    ASSERT_EQ(r.contents.gaps.size(), 1u);
    EXPECT_EQ(r.contents.gaps[0].reason.starts_with("made without memory"), folded);
    EXPECT_EQ(r.contents.gaps[0].reason.find("io_uring") != std::string::npos, !folded);
  }
}

TEST(SpoolReader, RulesBeyondTheListShareARow) {
  SpoolBuilder b;
  b.header().exclusion_rules = b.name(std::string_view("/x/\0", 4));
  ThreadBlock& thread = b.at<ThreadBlock>(b.thread());
  for (uint32_t rule : {0u, kExclusionRules - 1}) {
    thread.excluded[rule] = b.make<Excluded>();
    b.at<Excluded>(thread.excluded[rule]).opens = 1;
  }
  Reading r(b.finish());
  EXPECT_EQ(r.records.by_path.count("/x/**"), 1u);
  EXPECT_EQ(r.records.by_path.count("(exclusion rules beyond the first 31)"), 1u);
}

}  // namespace
}  // namespace headrace::capture
