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

ApartCalls apart(intercept::Fn function, uint32_t does, Apart why, bool profiled, ApartCalls amounts,
                 uint32_t on = kOnUnknown) {
  amounts.key = ApartKey{static_cast<uint32_t>(function), does, on, why, profiled}.packed();
  return amounts;
}

/// Keeps what was emitted as it is.
struct EachRecord : RecordSink {
  std::vector<model::FileRecord> records;
  void record(const model::FileRecord& record) override { records.push_back(record); }
  model::FileRecord of(model::FileKind kind, model::Layer layer) const {
    for (const auto& each : records)
      if (each.kind == kind && each.layer == layer) return each;
    return {};
  }
};

TEST(SpoolReader, WhatIsInNoFileIsInTheTotals) {
  using intercept::Fn;
  SpoolBuilder b;
  ThreadBlock& thread = b.at<ThreadBlock>(b.thread());
  const uint32_t known = thread.profiles[static_cast<uint32_t>(Fn::pwrite)] = b.make<Profile>();
  b.at<Profile>(known).calls = 1, b.at<Profile>(known).bytes = 1, b.at<Profile>(known).time = 10;
  thread.left_runs[static_cast<uint32_t>(Layer::kPosix)][kWrite] = 2;
  thread.left_bytes[static_cast<uint32_t>(Layer::kPosix)][kWrite] = 20;
  thread.left_runs[static_cast<uint32_t>(Layer::kMpiio)][kRead] = 1;
  thread.left_bytes[static_cast<uint32_t>(Layer::kMpiio)][kRead] = 5;
  ApartCalls* rows = b.header().apart;
  rows[0] = apart(Fn::pwrite, kDoesWrite, Apart::kInterrupting, false, {0, 3, 1, 600, 70, 50});
  rows[1] = apart(Fn::fread, kDoesRead, Apart::kNoDescriptor, true, {0, 4, 0, 40, 9, 3});
  rows[2] = apart(Fn::fstat, Metadata::kStats, Apart::kInterrupting, false, {0, 5, 2, 0, 8, 4});
  rows[3] = apart(Fn::dup2, Metadata::kDuplicates, Apart::kVforkChild, false, {0, 6, 0, 0, 1, 1});
  rows[4] = apart(Fn::write, kDoesWrite, Apart::kInterrupting, false, {0, 1, 0, 2, 1, 1},
                  static_cast<uint32_t>(RecordKind::kPipe));
  rows[5] = apart(Fn::sync, kDoesOther, Apart::kInterrupting, false, {0, 1, 0, 0, 2, 2});  // of no file anyway
  rows[kApartRows + 1 * 3 + 1] = {0, 7, 0, 70, 7, 1};                                      // writes that found no row
  b.header().block_shortage = 1;
  std::vector<std::byte> bytes = b.finish();
  EachRecord found;
  auto read = read_spool(bytes, "test", kReaderStart, kNow, found);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const auto posix = found.of(model::FileKind::kNoFile, model::Layer::kPosix);
  EXPECT_EQ(posix.path, "(in no file)");
  EXPECT_EQ(posix[counter::writes], 2u + 2);
  EXPECT_EQ(posix[counter::write_errors], 1u);
  EXPECT_EQ(posix[counter::bytes_written], 620u);
  EXPECT_EQ(posix[counter::write_ns], 70u);
  EXPECT_EQ(posix[counter::write_max_ns], 50u);
  EXPECT_EQ(posix[counter::stats], 3u);
  EXPECT_EQ(posix[counter::meta_errors], 2u);
  EXPECT_EQ(posix[counter::meta_ns], 8u);
  const auto stdio = found.of(model::FileKind::kNoFile, model::Layer::kStdio);
  EXPECT_EQ(stdio[counter::bytes_read], 40u);
  EXPECT_EQ(stdio[counter::writes], 7u);
  const auto mpiio = found.of(model::FileKind::kNoFile, model::Layer::kMpiio);
  EXPECT_EQ(mpiio.path, "(in no file: mpiio)");
  EXPECT_EQ(mpiio[counter::bytes_read], 5u);
  EXPECT_EQ(found.of(model::FileKind::kVforkChild, model::Layer::kPosix)[counter::duplicates], 6u);
  EXPECT_EQ(found.of(model::FileKind::kPipe, model::Layer::kPosix)[counter::bytes_written], 2u);
  EXPECT_EQ(found.records.size(), 5u);
  std::map<std::string_view, model::Profile> of;
  for (const auto& profile : read->profiles) of[profile.function] = profile;
  EXPECT_EQ(of["pwrite"].calls, 4u);
  EXPECT_EQ(of["pwrite"].errors, 1u);
  EXPECT_EQ(of["pwrite"].bytes, 601u);
  EXPECT_EQ(of["pwrite"].time_ns, 80u);
  EXPECT_EQ(of["pwrite"].max_ns, 50u);
  EXPECT_EQ(of["fstat"].calls, 5u);
  EXPECT_EQ(of.count("dup2"), 0u) << "children before their exec have no events either";
  EXPECT_EQ(of["sync"].calls, 1u);
  EXPECT_EQ(of.count("fread"), 0u) << "what its profile has is not added again";
  EXPECT_EQ(read->process.unattributed_operations, 3u + 5 + 1 + 4 + 2 + 1 + 7);
  EXPECT_EQ(read->process.unattributed_bytes, 600u + 2 + 40 + 20 + 5 + 70);
  std::string gaps;
  for (const auto& gap : read->gaps) gaps += gap.what + ", " + gap.unit + "=" + std::to_string(gap.amount) + " ";
  EXPECT_EQ(gaps,
            "operations without a file, calls=10 operations without a file, bytes=95 "
            "operations without a file, calls=4 operations without a file, bytes=40 "
            "operations without a file, calls=9 operations without a file, bytes=602 profile, calls=7 ");
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
