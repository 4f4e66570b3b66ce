#include "events/summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "events/made_streams.h"
#include "events/test_batch.h"

namespace headrace::events {
namespace {

using model::Event;
using model::EventKind;
using model::TimeClass;

constexpr unsigned kProgram = 0, kReadLane = 4, kWriteLane = 5;

Event at(uint64_t time, EventKind kind, uint32_t reference, uint64_t size = 0, uint64_t place = 0) {
  return {time, size, place, model::kind_and_reference(kind, reference), 0};
}

Summary summary_of(const std::vector<Event>& events, std::span<const TimeClass> classes, OpenRegions& open) {
  uint64_t latest = 0;
  for (const Event& event : events) latest = std::max(latest, event.time);
  return summarize(events, latest, classes, open);
}

TEST(Summary, TimeIsThatOfTheInnermost) {
  const std::vector<TimeClass> classes{TimeClass::kProgram, TimeClass::kRead, TimeClass::kWrite};
  OpenRegions open;
  const Summary summary =
      summary_of(std::vector<Event>{at(100, EventKind::kEnter, 0), at(110, EventKind::kIoBegin, 1, 50),
                                    at(130, EventKind::kIoEnd, 1, 40), at(131, EventKind::kIoBegin, 2, 9),
                                    at(140, EventKind::kIoEnd, 2, 9), at(141, EventKind::kIoBegin, 2, 9),
                                    at(150, EventKind::kIoEnd, 2, 9, 28), at(163, EventKind::kLeave, 0)},
                 classes, open);
  EXPECT_EQ(summary.shift, 0);
  EXPECT_EQ(summary.time[kProgram], 10u + 1 + 1 + 13);
  EXPECT_EQ(summary.time[kReadLane], 20u);
  EXPECT_EQ(summary.time[kWriteLane], 18u);
  EXPECT_EQ(summary.read[30], 40u);
  EXPECT_EQ(summary.written[40], 9u) << "what failed moved nothing";
  EXPECT_EQ(std::accumulate(summary.written.begin(), summary.written.end(), uint64_t{0}), 9u);
  EXPECT_EQ(summary.part[kReadLane][10], 255);
  EXPECT_EQ(summary.part[kReadLane][9], 0);
  EXPECT_TRUE(open.references().empty());
}

TEST(Summary, BytesOfWhatIsMadeOfOthersDoNotCount) {
  const std::vector<TimeClass> classes{TimeClass::kWrite, TimeClass::kWrite};
  const std::vector<uint8_t> above{1, 0};
  const std::vector<Event> events{at(0, EventKind::kIoBegin, 0, 50), at(1, EventKind::kIoBegin, 1, 50),
                                  at(2, EventKind::kIoEnd, 1, 50),   at(3, EventKind::kIoEnd, 0, 50),
                                  at(4, EventKind::kIoBegin, 0, 50), at(5, EventKind::kIoEnd, 0, 50)};
  OpenRegions open;
  const Summary summary = summarize(events, 5, classes, open, above);
  EXPECT_EQ(std::accumulate(summary.written.begin(), summary.written.end(), uint64_t{0}), 50u);
  EXPECT_EQ(summary.time[kWriteLane], 4u);
}

TEST(Summary, BinsHoldAllTheTime) {
  const References named(200);
  const std::vector<Event> events = MadeStream::s3d(32768);
  OpenRegions open;
  const Summary summary = summary_of(events, named.classes(), open);
  const uint64_t ticks = events.back().time - events.front().time;
  EXPECT_EQ(std::accumulate(summary.time.begin(), summary.time.end(), uint64_t{0}), ticks);
  double parts = 0;
  for (const auto& line : summary.part) parts = std::accumulate(line.begin(), line.end(), parts);
  EXPECT_NEAR(parts / 255 * static_cast<double>(uint64_t{1} << summary.shift) / static_cast<double>(ticks), 1, 0.01);
}

/// Begins and ends in any order, also of nothing, at the ends of the batch, and deeper than is kept.
TEST(Summary, AgreesWithTheInnermostAtEachTick) {
  const std::vector<TimeClass> classes{TimeClass::kProgram, TimeClass::kRead, TimeClass::kWrite, TimeClass::kWait};
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Event> events;
    uint64_t time = 50;
    for (size_t i = 0, count = 1 + random() % 200; i < count; ++i)
      events.push_back(at(time += random() % 9, static_cast<EventKind>(random() % 6), random() % 4, random() % 99));
    OpenRegions open, plain;
    const Summary summary = summary_of(events, classes, open);
    std::array<uint64_t, model::kTimeClasses> expected{};
    uint64_t before = events.front().time;
    for (const Event& event : events) {
      const auto what = plain.references().empty() ? TimeClass::kProgram : classes[plain.references().back()];
      expected[static_cast<unsigned>(what)] += event.time - before;
      before = event.time;
      plain.take(event);
    }
    EXPECT_EQ(summary.time, expected);
    EXPECT_EQ(open.references(), plain.references());
  }
}

TEST(Summary, GoesOnInWhatIsOpen) {
  const std::vector<TimeClass> classes{TimeClass::kProgram, TimeClass::kRead};
  OpenRegions open;
  open.enter(1);
  const Summary summary = summary_of(std::vector<Event>{at(7, EventKind::kSend, 0), at(4, EventKind::kSend, 0),
                                                        at(9, EventKind::kLeave, 1), at(19, EventKind::kLeave, 0)},
                                     classes, open);
  EXPECT_EQ(summary.time[kReadLane], 2u) << "a time that goes back counts as the latest before";
  EXPECT_EQ(summary.time[kProgram], 10u);
}

TEST(Summary, IsKept) {
  const References named(200);
  OpenRegions open;
  for (const auto& events : {MadeStream::s3d(5000), MadeStream::random(5000), std::vector<Event>(1)}) {
    const Summary summary = summary_of(events, named.classes(), open);
    std::vector<uint8_t> bytes;
    write_summary(summary, bytes);
    base::ByteReader reader(bytes);
    Summary read;
    ASSERT_TRUE(read_summary(reader, read));
    read.begin = summary.begin;
    read.end = summary.end;
    EXPECT_EQ(read, summary);
    EXPECT_EQ(reader.left(), 0u);
    for (size_t cut = 0; cut < bytes.size(); ++cut) {
      base::ByteReader less(base::Bytes(bytes).first(cut));
      EXPECT_FALSE(read_summary(less, read));
    }
  }
}

}  // namespace
}  // namespace headrace::events
