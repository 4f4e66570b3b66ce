// Phases as the spool reader finds them, what it adds for those that are open, and what an earlier log already has.
#include "capture/harvest/phase_reader.h"

#include <gtest/gtest.h>

#include "capture/harvest/spool_builder.h"
#include "capture/harvest/spool_reader.h"
#include "model/size_bins.h"

namespace headrace::capture {
namespace {

struct NoRecords : RecordSink {
  void record(const model::FileRecord&) override {}
};

Moment moment(uint64_t ns) { return {ns, ns, 1'700'000'000'000'000'000 + ns - 1'000'000'000, ns}; }

SpoolContents contents_of(std::vector<std::byte> spool) {
  NoRecords none;
  auto read = read_spool(spool, "1.spool", moment(900'000'000), moment(3'000'000'000), none);
  EXPECT_TRUE(read.ok()) << read.message();
  return read.ok() ? *read : SpoolContents{};
}

const model::Phase* find(const std::vector<model::Phase>& phases, uint64_t instance) {
  for (const model::Phase& each : phases)
    if (each.path == "step/dump" && each.instance == instance) return &each;
  return nullptr;
}

TEST(PhaseReader, GivesThePhaseItsInstancesAndTheOpenOne) {
  Phases phases = contents_of(sample_spool()).phases;
  const model::Phase* all = find(phases.finished, 0);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->instances, 2u);
  EXPECT_EQ(all->bytes_written, 7u * 4096);
  EXPECT_EQ(all->slowest, 1u);
  const model::Phase* first = find(phases.finished, 1);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->ended, "end");
  EXPECT_EQ(first->bytes_written, 5u * 4096);
  ASSERT_EQ(first->series.size(), 1u);
  EXPECT_EQ(first->series[0].bytes, 4096u);
  ASSERT_EQ(first->sizes.size(), 1u);
  EXPECT_EQ(first->sizes[0].least, model::SizeBins::least(80));
  ASSERT_EQ(phases.open.size(), 1u);
  // Two threads made 14 calls each, of which one came before.
  EXPECT_EQ(phases.open[0].profiles[0].calls, 27u);
  EXPECT_EQ(phases.open[0].ended, "process");
}

TEST(PhaseReader, AnOpenInstanceCountsOnceTheProcessIsOver) {
  Phases phases = contents_of(sample_spool()).phases;
  const model::Phase before = *find(phases.finished, 0);
  const uint64_t open_bytes = phases.open[0].bytes_written;
  close_open(phases, 0);
  const model::Phase* all = find(phases.finished, 0);
  EXPECT_EQ(all->instances, 3u);
  EXPECT_EQ(all->cut, 1u);
  EXPECT_EQ(all->bytes_written, before.bytes_written + open_bytes);
  ASSERT_NE(find(phases.finished, 3), nullptr);
  EXPECT_TRUE(phases.open.empty());
}

TEST(PhaseReader, AnOpenInstanceLastsUntilTheProcessEnds) {
  Phases phases = contents_of(sample_spool()).phases;
  const uint64_t begin = phases.open[0].start_at_ns;
  close_open(phases, begin + 7'000'000'000);
  EXPECT_EQ(find(phases.finished, 3)->time_ns, 7'000'000'000u);
  EXPECT_EQ(find(phases.finished, 0)->slowest, 3u);
}

TEST(PhaseReader, AnInstanceThatEndedWhileItWasCopiedIsNotOpen) {
  SpoolBuilder kept, dropped;
  kept.at<OpenPhase>(kept.open_phase(kept.phase("step/dump"))).number = 1;  // which is among the finished ones
  const uint32_t phase = dropped.phase("step/dump");
  dropped.open_phase(phase);
  dropped.at<Phase>(phase).finished = 3;  // and was not kept whole
  for (SpoolBuilder* spool : {&kept, &dropped}) {
    const SpoolContents contents = contents_of(spool->finish());
    EXPECT_TRUE(contents.phases.open.empty());
    for (const model::Gap& gap : contents.gaps) EXPECT_NE(gap.what, "damaged spool");
  }
}

TEST(PhaseReader, TheSeriesOfAnOpenInstanceCountsEachByteOnce) {
  for (const uint64_t stretch : {0u, 6u}) {
    SpoolBuilder b;
    const uint32_t thread = b.thread(), series = b.phase_series(1'400'000'000);
    b.at<PhaseSeries>(series).epoch = 5;  // in the phase's own series since, as another phase began
    b.at<ThreadBlock>(thread).phase_series = series;
    b.header().stretch = stretch;
    b.open_phase(b.phase("step/dump"));
    Phases phases = contents_of(b.finish()).phases;
    ASSERT_EQ(phases.open.size(), 1u);
    uint64_t bytes = 0;
    for (const model::FlowBin& bin : phases.open[0].series) bytes += bin.bytes;
    EXPECT_EQ(bytes, 100u);
  }
}

TEST(PhaseReader, ThreadsInARingEnd) {
  SpoolBuilder b;
  const uint32_t thread = b.thread();
  b.at<ThreadBlock>(thread).next = thread;
  b.header().threads = UINT32_MAX;
  b.open_phase(b.phase("step/dump"));
  EXPECT_EQ(contents_of(b.finish()).phases.open.size(), 1u);
}

TEST(PhaseReader, TheVarianceIsThatOfAllInstances) {
  Phases phases;
  for (uint64_t time : {10, 20, 60, 30}) {
    model::Phase one;
    one.path = "p";
    one.instance = time;
    one.time_ns = one.least_ns = one.most_ns = time;
    one.start_at_ns = 5;
    one.end_at_ns = 5 + time;
    phases.open.push_back(one);
  }
  close_open(phases, 0);
  const model::Phase* all = nullptr;
  for (const model::Phase& each : phases.finished)
    if (each.instance == 0) all = &each;
  ASSERT_NE(all, nullptr);
  EXPECT_NEAR(all->variance_ns2, 350.0, 1e-9);  // mean 30: 400 + 100 + 900 + 0, by 4
  EXPECT_EQ(all->slowest, 60u);
}

TEST(PhaseReader, WhatAnEarlierLogHasIsTakenOut) {
  const Phases before = contents_of(sample_spool()).phases;
  Phases whole = before;
  model::Phase later = *find(whole.finished, 1);
  later.instance = 4;
  whole.finished.push_back(later);
  for (model::Phase& each : whole.finished) {
    if (each.instance != 0 || each.path.empty()) continue;
    each.instances++;
    each.bytes_written += 5 * 4096;
    each.profiles[0].calls += 5;
  }
  subtract_phases(whole.finished, before.finished);
  ASSERT_EQ(whole.finished.size(), 2u);
  EXPECT_EQ(find(whole.finished, 0)->instances, 1u);
  EXPECT_EQ(find(whole.finished, 0)->bytes_written, 5u * 4096);
  EXPECT_NE(find(whole.finished, 4), nullptr);
  std::vector<model::Phase> same = before.finished;
  subtract_phases(same, before.finished);
  EXPECT_TRUE(same.empty());
}

TEST(SizeBins, EverySizeLiesInItsBin) {
  using model::SizeBins;
  for (uint64_t size = 0; size < 70000; ++size) {
    const uint32_t bin = SizeBins::bin_of(size);
    ASSERT_LE(SizeBins::least(bin), size);
    ASSERT_GE(SizeBins::most(bin), size);
  }
  for (uint32_t bit = 16; bit < 64; ++bit) {
    for (uint64_t size : {(uint64_t{1} << bit) - 1, uint64_t{1} << bit, (uint64_t{1} << bit) + 1}) {
      const uint32_t bin = SizeBins::bin_of(size);
      ASSERT_LT(bin, SizeBins::kCount);
      ASSERT_TRUE(SizeBins::least(bin) <= size && size <= SizeBins::most(bin)) << size;
    }
  }
}

}  // namespace
}  // namespace headrace::capture
