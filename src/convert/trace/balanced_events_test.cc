// Whatever the events of a location are, they come out in order, balanced and closed, and what was changed is counted.

#include "convert/trace/balanced_events.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "events/event_chunk.h"
#include "events/made_trace.h"
#include "events/span_stack.h"

namespace headrace::convert {
namespace {

using enum model::EventKind;
using events::event;
using events::is_begin;
using events::is_end;
using events::kMostEvents;
using events::MadeTrace;
using events::TimeRange;
using events::TraceReader;
using model::Event;
using model::TimeClass;

class BalancedEventsTest : public testing::Test {
 protected:
  std::vector<BalancedEvent> all(TraceReader& reader, TimeRange range = {}) {
    std::vector<BalancedEvent> found;
    changes_ = {};
    for (const events::TraceLocation& location : reader.locations()) {
      BalancedEvents balanced(reader, location, range);
      while (*balanced.next()) found.insert(found.end(), balanced.events().begin(), balanced.events().end());
      changes_.add(balanced.changes());
    }
    return found;
  }

  static void expect_balanced(const std::vector<BalancedEvent>& found) {
    std::vector<Event> open;
    uint64_t last = 0;
    for (const BalancedEvent& each : found) {
      ASSERT_GE(each.event.time, last);
      last = each.event.time;
      if (is_begin(each.event.kind())) open.push_back(each.event);
      if (!is_end(each.event.kind())) continue;
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back().reference(), each.event.reference());
      ASSERT_EQ(open.back().kind() == kEnter, each.event.kind() == kLeave);
      open.pop_back();
    }
    EXPECT_TRUE(open.empty());
  }

  MadeTrace made_;
  Changes changes_;
  const uint32_t step_ = made_.reference("region", "step", TimeClass::kProgram);
  const uint32_t read_ = made_.reference("function", "read", TimeClass::kRead);
};

TEST_F(BalancedEventsTest, LeaveSoundOnesAlone) {
  const std::vector<Event> events{event(10, kEnter, step_), event(20, kIoBegin, read_, 4, 100, 7),
                                  event(35, kIoEnd, read_, 4, 90, 5), event(40, kLeave, step_)};
  made_.add({.process = 1, .thread = 1}, events);
  TraceReader reader = made_.finish();
  const auto found = all(reader);
  ASSERT_EQ(found.size(), events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(found[i].event, events[i]);
    EXPECT_FALSE(found[i].made);
  }
  EXPECT_EQ(changes_.closed_at_end + changes_.moved + changes_.left_out + changes_.closed_early, 0u);
}

TEST_F(BalancedEventsTest, CutSpansAtTheRange) {
  made_.add({.process = 1, .thread = 1}, {event(10, kEnter, step_), event(20, kIoBegin, read_, 4, 100, 7),
                                          event(90, kIoEnd, read_, 4, 100), event(95, kLeave, step_)});
  TraceReader reader = made_.finish();
  const auto found = all(reader, {.begin_at_ns = 30, .end_at_ns = 60});
  expect_balanced(found);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].event.time, 30u);
  EXPECT_EQ(found[1].event.place, 7u) << "it was seen, so its place is known";
  EXPECT_EQ(found[3].event.time, 60u);
  EXPECT_TRUE(found[0].made && found[1].made && found[2].made && found[3].made);
  EXPECT_EQ(changes_.cut_at_begin, 2u);
  EXPECT_EQ(changes_.closed_at_end, 2u);
  EXPECT_TRUE(all(reader, {.begin_at_ns = 100, .end_at_ns = 200}).empty());
}

/// Two chunks, with nothing from 65,536 ns to a million.
class BetweenChunks : public BalancedEventsTest {
 protected:
  BetweenChunks() {
    std::vector<Event> events{event(1, kEnter, step_)};
    for (uint64_t i = 1; i < kMostEvents - 1; ++i)
      events.push_back(event(2 * i, i % 2 == 1 ? kIoBegin : kIoEnd, read_, 3, 50));
    events.push_back(event(65'536, kIoBegin, read_, 4, 100, 7));
    events.push_back(event(1'000'000, kIoEnd, read_, 4, 100));
    events.push_back(event(1'000'010, kLeave, step_));
    made_.add({.process = 1, .thread = 1}, events);
    reader_.emplace(made_.finish());
  }

  std::vector<BalancedEvent> between() { return all(*reader_, {.begin_at_ns = 200'000, .end_at_ns = 300'000}); }

  static void expect_both_open(const std::vector<BalancedEvent>& found) {
    expect_balanced(found);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].event.time, 200'000u);
    EXPECT_EQ(found[0].event.kind(), kEnter);
    EXPECT_EQ(found[1].event.kind(), kIoBegin);
    EXPECT_EQ(found[3].event.time, 300'000u);
  }

  std::optional<TraceReader> reader_;
};

TEST_F(BetweenChunks, HaveWhatIsOpen) {
  const auto found = between();
  ASSERT_NO_FATAL_FAILURE(expect_both_open(found));
  EXPECT_EQ(found[1].event.place, 7u) << "its begin is in the chunk before";
  EXPECT_EQ(found[1].event.size, 100u);
  EXPECT_EQ(changes_.cut_at_begin, 2u);
  EXPECT_EQ(changes_.closed_at_end, 2u);
  EXPECT_EQ(changes_.opened_in_gap + changes_.closed_in_gap + changes_.left_out, 0u);
  const auto into = all(*reader_, {.begin_at_ns = 200'000, .end_at_ns = 1'000'005});
  expect_balanced(into);
  ASSERT_EQ(into.size(), 4u);
  EXPECT_EQ(into[1].event.place, 7u);
  EXPECT_TRUE(all(*reader_, {.begin_at_ns = 1'000'011, .end_at_ns = 2'000'000}).empty());
}

TEST_F(BetweenChunks, HaveItAlsoIfOneOfThemIsDamaged) {
  for (const size_t damaged : {0, 1}) {
    made_.damage(damaged, 170);
    reader_.emplace(made_.reader());
    ASSERT_NO_FATAL_FAILURE(expect_both_open(between()));
    EXPECT_EQ(reader_->damaged_chunks(), 1u);
    made_.damage(damaged, 170);  // undone
  }
}

TEST_F(BalancedEventsTest, CloseAndOpenWhereAChunkIsLost) {
  std::vector<Event> events{event(1, kEnter, step_)};
  for (uint64_t i = 1; i <= kMostEvents; ++i) {
    events.push_back(event(20 * i, kIoBegin, read_));
    events.push_back(event(20 * i + 10, kIoEnd, read_));
  }
  events.push_back(event(20 * kMostEvents + 20, kLeave, step_));
  made_.add({.process = 1, .thread = 1}, events);
  made_.finish();
  made_.damage(1, 200);
  TraceReader reader = made_.reader();
  const auto found = all(reader);
  expect_balanced(found);
  EXPECT_EQ(changes_.closed_in_gap, 2u) << "step, and the read that was open when the chunk ended";
  EXPECT_EQ(changes_.opened_in_gap, 2u) << "step, and the read that is open when the third begins";
  EXPECT_EQ(changes_.closed_early + changes_.left_out, 0u);
}

TEST_F(BalancedEventsTest, PutAnythingInOrder) {
  std::mt19937 chance(20261123);
  for (int round = 0; round < 300; ++round) {
    MadeTrace made;
    const uint32_t references[] = {made.reference("region", "a", TimeClass::kProgram),
                                   made.reference("function", "b", TimeClass::kRead),
                                   made.reference("region", "c", TimeClass::kProgram)};
    std::vector<Event> events;
    for (size_t i = 0, count = 1 + chance() % 60; i < count; ++i) {
      const auto kind = static_cast<model::EventKind>(chance() % model::kEventKinds);
      events.push_back(event(chance() % 500, kind, references[chance() % 3]));
    }
    made.add({.process = 1, .thread = 1}, events);
    TraceReader reader = made.finish();
    const auto found = all(reader);
    expect_balanced(found);
    size_t kept = 0;
    for (const BalancedEvent& each : found) kept += !each.made;
    EXPECT_EQ(kept + changes_.left_out, events.size());
    const uint64_t begin = chance() % 500, end = begin + chance() % 300;
    const auto part = all(reader, {begin, end});
    expect_balanced(part);
    for (const BalancedEvent& each : part) ASSERT_TRUE(begin <= each.event.time && each.event.time <= end);
  }
}

}  // namespace
}  // namespace headrace::convert
