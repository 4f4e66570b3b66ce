// Rows come in the order of time, operations as one row each, also across chunks.

#include "events/trace_rows.h"

#include <gtest/gtest.h>

#include "base/stride.h"
#include "events/event_chunk.h"
#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::Event;
using model::TimeClass;

class TraceRowsTest : public testing::Test {
 protected:
  std::vector<std::pair<uint32_t, TraceRow>> rows(TraceReader& reader, std::vector<uint32_t> locations,
                                                  TimeRange range = {}, size_t most_rows = TraceRows::kMostRows) {
    TraceRows all(reader, std::move(locations), range, most_rows);
    std::vector<std::pair<uint32_t, TraceRow>> found;
    while (const TraceRow* row = *all.next()) found.emplace_back(all.location(), *row);
    return found;
  }

  MadeTrace made_;
  const uint32_t step_ = made_.reference("region", "step", TimeClass::kProgram);
  const uint32_t read_ = made_.reference("function", "read", TimeClass::kRead);
};

TEST_F(TraceRowsTest, MergeLocationsByTimeAndJoinOperations) {
  made_.add({.process = 1, .thread = 1, .rank = 0}, {event(10, kEnter, step_), event(20, kIoBegin, read_, 4, 100, 7),
                                                     event(35, kIoEnd, read_, 4, 90, 5), event(40, kLeave, step_)});
  made_.add({.process = 2, .thread = 1, .rank = 1}, {event(15, kEnter, step_), event(50, kIoBegin, read_)});
  TraceReader reader = made_.finish();
  const auto found = rows(reader, {0, 1});
  ASSERT_EQ(found.size(), 5u);
  std::vector<uint64_t> times;
  for (const auto& [location, row] : found) times.push_back(row.event.time);
  EXPECT_EQ(times, (std::vector<uint64_t>{10, 15, 20, 40, 50}));
  EXPECT_EQ(found[1].first, 1u);
  EXPECT_EQ(found[2].second.duration_ns, 15u);
  EXPECT_EQ(found[2].second.moved, 90u);
  EXPECT_EQ(found[2].second.error, 5u);
  EXPECT_EQ(found[3].second.duration_ns, 30u);
  EXPECT_EQ(found[4].second.duration_ns, kNoDuration);
}

TEST_F(TraceRowsTest, JoinOperationsAcrossChunks) {
  std::vector<Event> events{event(0, kEnter, step_)};
  for (uint64_t i = 1; i <= kMostEvents; ++i) {
    events.push_back(event(20 * i, kIoBegin, read_));
    events.push_back(event(20 * i + 10, kIoEnd, read_));
  }
  made_.add({.process = 1, .thread = 1}, events);
  TraceReader reader = made_.finish();
  const auto found = rows(reader, {0});
  ASSERT_EQ(found.size(), kMostEvents + 1);
  for (size_t i = 1; i < found.size(); ++i) ASSERT_EQ(found[i].second.duration_ns, 10u);
}

TEST_F(TraceRowsTest, KeepToARangeOfTime) {
  made_.add({.process = 1, .thread = 1}, {event(10, kIoBegin, read_, 4, 100, 7), event(20, kIoEnd, read_, 4, 90, 5),
                                          event(30, kIoBegin, read_, 4), event(40, kIoEnd, read_, 4, 9)});
  TraceReader reader = made_.finish();
  const auto found = rows(reader, {0}, {15, 35});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].second.event.kind(), kIoEnd);
  EXPECT_EQ(found[0].second.duration_ns, 10u);
  EXPECT_EQ(found[1].second.moved, 9u);
}

TEST_F(TraceRowsTest, MergeAnyNumberOfLocations) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < 500; ++i) {
    all.push_back(i);
    made_.add({.process = 1, .thread = i}, {event(i % 7, kEnter, step_), event(1000 - i, kLeave, step_)});
  }
  TraceReader reader = made_.finish();
  const auto found = rows(reader, all);
  ASSERT_EQ(found.size(), 2 * all.size());
  for (size_t i = 1; i < found.size(); ++i) ASSERT_LE(found[i - 1].second.event.time, found[i].second.event.time);
}

TEST_F(TraceRowsTest, AreTheSameWithLittleMemory) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < 5; ++i) {
    all.push_back(i);
    std::vector<Event> events;
    uint64_t time = i;
    for (uint32_t k = 0; k < kMostEvents / 2; ++k) {  // operations inside of each other, some of them very long
      if (k % 1000 == 0) events.push_back(event(time, kIoBegin, read_, 4, k));
      events.push_back(event(time += 3, kEnter, step_));
      events.push_back(event(time += 1 + k % 5, kIoBegin, read_, 8, k));
      events.push_back(event(time += 2, kIoEnd, read_, 8, 0));
      events.push_back(event(time += 1, kLeave, step_));
      if (k % 1000 == 10 * i + 300 && k < kMostEvents / 3) events.push_back(event(time, kIoEnd, read_, 4, 0));
    }
    made_.add({.process = 1, .thread = i}, events);
  }
  TraceReader reader = made_.finish();
  for (const TimeRange range : {TimeRange{}, TimeRange{20'000, 90'000}}) {
    const auto whole = rows(reader, all, range);
    // Of little, each chunk is decoded again for every few rows; with sanitizers that takes a minute.
    for (const size_t most : {4 * size_t{kMostEvents}, base::kStride == 1 ? size_t{1000} : 30'000, size_t{50'000}}) {
      const auto found = rows(reader, all, range, most);
      ASSERT_EQ(found.size(), whole.size());
      for (size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(found[i].first, whole[i].first) << i;
        ASSERT_EQ(found[i].second.event, whole[i].second.event) << i;
        ASSERT_EQ(found[i].second.duration_ns, whole[i].second.duration_ns) << i;
        ASSERT_EQ(found[i].second.moved, whole[i].second.moved) << i;
      }
    }
  }
}

}  // namespace
}  // namespace headrace::events
