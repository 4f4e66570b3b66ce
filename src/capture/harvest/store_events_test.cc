#include "capture/harvest/store_events.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include "format/sink.h"

namespace headrace::capture {
namespace {

ClockMap clock_of_ticks_as_ns() {
  Header header{};
  header.clock = ClockKind::kMonotonic;
  const Moment start{0, 0, 1'000'000'000'000, 0};
  header.realtime_ns = start.realtime_ns;
  Moment now = start;
  now.monotonic_ns = now.boottime_ns = 1'000'000'000;
  now.realtime_ns += now.monotonic_ns;
  return ClockMap(header, start, now);
}

uint64_t processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
}

/// Every thread enters and leaves each of so many regions.
RecordedEvents made(uint32_t threads, uint32_t regions) {
  RecordedEvents recorded;
  for (uint32_t region = 1; region <= regions; ++region)
    recorded.regions[region] = {RegionKind::kRegion, "region " + std::to_string(region)};
  for (uint32_t thread = 1; thread <= threads; ++thread) {
    RecordedThread& in = recorded.threads[thread];
    for (uint32_t region = 1; region <= regions; ++region)
      for (const RawKind kind : {RawKind::kEnter, RawKind::kLeave})
        in.behind.push_back({100 * region, 100 * region, 0, 0, 0, region, 0, kind, 0});
    in.count = in.behind.size();
  }
  return recorded;
}

TEST(StoreEvents, TakesTimeInProportionToNamesAndThreads) {
  constexpr uint32_t kThreads = 3, kRegions = 100'000;
  RecordedEvents recorded = made(kThreads, kRegions);
  auto writer = events::TraceWriter::open(std::make_unique<format::NullSink>(), 1, 2);
  ASSERT_TRUE(writer.ok());
  FlushAccount account;
  events::Location location{5, 0, 0, "host", 10};
  const uint64_t before = processor_ms();
  const ClockMap clock = clock_of_ticks_as_ns();
  ASSERT_TRUE(store_events(
                  recorded, clock, location, [](uint32_t) { return true; }, [] { return false; }, account, *writer)
                  .ok());
  EXPECT_LT(processor_ms() - before, 10'000u) << "compared with each other the names would take a minute";
  EXPECT_EQ(account.references.size(), kRegions) << "each once, however many threads have it";
  EXPECT_EQ(writer->events(), uint64_t{2} * kThreads * kRegions);
  for (uint32_t thread = 1; thread <= kThreads; ++thread) EXPECT_EQ(account.threads.at(thread).raw, 2 * kRegions);

  recorded = made(kThreads, kRegions + 1);
  account.generation = 1;  // these are in the next file
  recorded.generation = 1;
  for (auto& [thread, stored] : account.threads) stored.raw = 0;
  ASSERT_TRUE(store_events(
                  recorded, clock, location, [](uint32_t) { return true; }, [] { return false; }, account, *writer)
                  .ok());
  EXPECT_EQ(account.references.size(), kRegions + 1);
}

class PartOfTrace : public testing::Test {
 protected:
  PartOfTrace() : path_(testing::TempDir() + "headrace_part_" + std::to_string(getpid())) {
    process_.id = 5;
    process_.rank = 0;
  }
  ~PartOfTrace() override { unlink(path_.c_str()); }

  events::TraceWriter writer() const {
    auto sink = format::FileSink::open(path_, format::FileSink::Mode::kReplace);
    EXPECT_TRUE(sink.ok());
    auto to = events::TraceWriter::open(std::move(*sink), 1, 2);
    EXPECT_TRUE(to.ok());
    return std::move(*to);
  }
  /// A chunk with one event.
  void append(events::TraceWriter& to, uint32_t reference) {
    const model::Event event{++time_, 0, 0, model::kind_and_reference(model::EventKind::kCounter, reference), 0};
    ASSERT_TRUE(to.append({process_.id, 1, 0}, account_.threads[1].at, {&event, 1}, meanings_).ok());
  }
  /// How many events are in what it became.
  uint64_t taken() {
    auto to = events::TraceWriter::open(std::make_unique<format::NullSink>(), 1, 3);
    EXPECT_TRUE(to.ok());
    const base::Status status = take_part(path_, process_, 100, account_, *to);
    EXPECT_TRUE(status.ok()) << status.message();
    return to->events();
  }

  const std::string path_;
  model::Process process_;
  uint64_t time_ = 0;
  events::Meanings meanings_;
  FlushAccount account_;
};

TEST_F(PartOfTrace, IsTakenInTimeInProportionToNamesAndChunks) {
  constexpr uint32_t kRegions = 100'000, kChunks = 1'500;
  for (uint32_t region = 0; region < kRegions; ++region)
    meanings_.add({region + 1, "region", "region", "region " + std::to_string(region)});
  events::TraceWriter part = writer();
  for (uint32_t chunk = 0; chunk < kChunks; ++chunk) append(part, kRegions - 1 - chunk);
  ASSERT_TRUE(part.close().ok());
  const uint64_t before = processor_ms();
  EXPECT_EQ(taken(), kChunks);
  EXPECT_LT(processor_ms() - before, 5'000u) << "with all names for every chunk it would take 15 s";
  EXPECT_EQ(account_.threads.at(1).at.events, kChunks);
}

TEST_F(PartOfTrace, MayReferToWhatOnlyItsChunksTell) {
  meanings_.add({7, "region", "region", "known"});
  events::TraceWriter part = writer();
  append(part, 0);
  meanings_.add({8, "region", "region", "lost"});
  part.know(std::vector<uint64_t>{8});  // so it gets no row
  append(part, 1);
  ASSERT_TRUE(part.close().ok());
  EXPECT_EQ(taken(), 2u);
}

}  // namespace
}  // namespace headrace::capture
