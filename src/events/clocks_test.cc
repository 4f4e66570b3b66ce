#include "events/clocks.h"

#include <gtest/gtest.h>

#include <random>

#include "events/made_trace.h"
#include "events/message_pairs.h"
#include "events/overview.h"
#include "events/trace_check.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::TimeClass;

constexpr int64_t kMs = 1'000'000, kSecond = 1'000 * kMs;

ClockRow start(uint64_t process, uint64_t node, int64_t at, int64_t clock) {
  return {process, node, "start", at, static_cast<uint64_t>(clock), static_cast<uint64_t>(clock), 0};
}

/// Compared with process 1.
ClockRow compared(uint64_t process, uint64_t node, int64_t clock, int64_t offset, uint64_t error = 100) {
  return {process, node, "MPI_Init", 0,    static_cast<uint64_t>(clock), static_cast<uint64_t>(clock),
          0,       1,    offset,     error};
}

uint64_t moved(const Clocks& clocks, uint64_t process, uint64_t at) {
  const ClockLine* line = clocks.of(process);
  return line == nullptr ? at : line->at(at);
}

TEST(Clocks, NothingMovesWithoutComparisons) {
  const Clocks clocks({start(1, 5, 10, 1000), start(2, 6, 20, 9000)});
  EXPECT_FALSE(clocks.move_something());
  ASSERT_EQ(clocks.nodes().size(), 2u);
  EXPECT_FALSE(clocks.nodes()[0].is_reference);
}

TEST(Clocks, PutsANodeOnTheReferencesClock) {
  // Node 6 reads 40 s more than node 5; by its calendar clock its process begins 3 ms too early.
  const Clocks clocks({start(1, 5, 10 * kMs, kSecond), compared(1, 5, 2 * kSecond, 0, 0),
                       start(2, 6, 17 * kMs, 41 * kSecond + 10 * kMs), start(3, 6, 20 * kMs, 41 * kSecond + 13 * kMs),
                       compared(2, 6, 42 * kSecond, -40 * kSecond)});
  EXPECT_EQ(clocks.of(1), nullptr);
  EXPECT_EQ(moved(clocks, 2, 17 * kMs), static_cast<uint64_t>(20 * kMs));
  EXPECT_EQ(moved(clocks, 3, 20 * kMs), static_cast<uint64_t>(23 * kMs));  // measured by another of the node
  ASSERT_EQ(clocks.nodes().size(), 2u);
  EXPECT_TRUE(clocks.nodes()[0].is_reference);
  ASSERT_EQ(clocks.nodes()[1].measured.size(), 1u);
  EXPECT_EQ(clocks.nodes()[1].measured[0].added_ns, 3 * kMs);
  EXPECT_EQ(clocks.nodes()[1].processes, 2u);
}

TEST(Clocks, DriftIsInterpolatedBetweenMeasurements) {
  const Clocks clocks({start(1, 5, kSecond, kSecond), start(2, 6, kSecond, kSecond), compared(1, 5, kSecond, 0, 0),
                       compared(2, 6, 2 * kSecond, 100'000), compared(2, 6, 12 * kSecond, 1'100'000)});
  EXPECT_EQ(moved(clocks, 2, kSecond), kSecond + 100'000u);          // before the first
  EXPECT_EQ(moved(clocks, 2, 7 * kSecond), 7 * kSecond + 600'000u);  // halfway
  EXPECT_EQ(moved(clocks, 2, 20 * kSecond), 20 * kSecond + 1'100'000u);
  EXPECT_NEAR(clocks.nodes()[1].drift, 1e-4, 1e-9);
}

TEST(Clocks, BehindAJumpNothingIsBelieved) {
  const Clocks clocks({start(1, 5, kSecond, kSecond), start(2, 6, kSecond, kSecond), compared(1, 5, kSecond, 0, 0),
                       compared(2, 6, 2 * kSecond, 100), compared(2, 6, 12 * kSecond, 5 * kSecond)});
  EXPECT_EQ(moved(clocks, 2, 11 * kSecond), 11 * kSecond + 100u);
  EXPECT_EQ(clocks.nodes()[1].jumped_ns, 5 * kSecond - 100);
  EXPECT_EQ(clocks.nodes()[1].measured.size(), 1u);
}

TEST(Clocks, StepsOfOtherClocksAreToldAndChangeNothing) {
  ClockRow later = compared(2, 6, 12 * kSecond, 100);
  later.at_ns = 12 * kSecond + 5 * kMs;          // the processor's counter strays
  later.utc_ns += 3600 * kSecond + 7 * kSecond;  // set by an hour, and seven seconds of sleep
  later.asleep_ns = static_cast<uint64_t>(7 * kSecond);
  const Clocks clocks(
      {start(1, 5, kSecond, kSecond), start(2, 6, kSecond, kSecond), compared(1, 5, kSecond, 0, 0), later});
  EXPECT_EQ(moved(clocks, 2, 11 * kSecond), 11 * kSecond + 100u);
  EXPECT_EQ(clocks.nodes()[1].suspended_ns, static_cast<uint64_t>(7 * kSecond));
  EXPECT_EQ(clocks.nodes()[1].calendar_step_ns, 3600 * kSecond);
  EXPECT_EQ(clocks.nodes()[1].stray_ns, 5 * kMs);
}

TEST(Clocks, NoTimeFallsBeforeTheJob) {
  // Rank 0's calendar clock is behind: what began before it on the other node would be before the job.
  const Clocks clocks({start(1, 5, 1, kSecond), compared(1, 5, kSecond, 0, 0), start(2, 6, 500, kSecond),
                       compared(2, 6, kSecond + 10, -3 * kMs)});
  EXPECT_EQ(moved(clocks, 2, 500), 1u);
  EXPECT_EQ(moved(clocks, 1, 1) - moved(clocks, 2, 500), static_cast<uint64_t>(3 * kMs));
}

TEST(Clocks, AnyRowsGiveRisingTimes) {
  std::mt19937_64 random(4);
  const auto wild = [&](uint64_t some) {
    switch (random() % 4) {
      case 0:
        return random();
      case 1:
        return uint64_t{0} - random() % 3;
      default:
        return random() % some;
    }
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<ClockRow> rows;
    for (uint64_t i = 0; i < random() % 12; ++i)
      rows.push_back({random() % 4, random() % 3, "x", static_cast<int64_t>(wild(1000)), wild(5000), wild(9), wild(9),
                      random() % 2 == 0 ? 0 : random() % 4, static_cast<int64_t>(wild(2000)), wild(50)});
    const Clocks clocks(rows);
    for (uint64_t process = 0; process < 4; ++process) {
      std::vector<uint64_t> times;
      for (int i = 0; i < 20; ++i) times.push_back(wild(10'000));
      std::sort(times.begin(), times.end());
      for (size_t i = 1; i < times.size(); ++i)
        ASSERT_LE(moved(clocks, process, times[i - 1]), moved(clocks, process, times[i])) << "round " << round;
    }
  }
}

/// Two nodes; the second one's times are 3 ms too early. A message goes back and forth every 200 µs.
class ClocksInATrace : public testing::Test {
 protected:
  ClocksInATrace() {
    std::vector<model::Event> first, second;
    for (uint64_t i = 0; i < 1000; ++i) {
      const uint64_t at = 10 * kMs + i * 200'000;
      first.push_back(event(at, kSend, world_, 1, 8));
      second.push_back(event(at - 3 * kMs + 50'000, kReceive, world_, 0, 8));
      second.push_back(event(at - 3 * kMs + 60'000, kEnter, step_));
      second.push_back(event(at - 3 * kMs + 90'000, kLeave, step_));
      second.push_back(event(at - 3 * kMs + 100'000, kSend, world_, 0, 8));
      first.push_back(event(at + 150'000, kReceive, world_, 1, 8));
    }
    made_.add({.process = 1, .thread = 1, .rank = 0}, first);
    made_.add({.process = 2, .thread = 1, .rank = 1}, second);
    const std::vector<ClockRow> rows = {start(1, 5, kMs, kSecond), compared(1, 5, 2 * kSecond, 0, 0),
                                        start(2, 6, kMs, kSecond), compared(2, 6, 2 * kSecond, 3 * kMs)};
    EXPECT_TRUE(made_.writer().add(std::span(rows)).ok());
  }
  MadeTrace made_;
  const uint32_t world_ = made_.reference("communicator", "world", TimeClass::kMessages);
  const uint32_t step_ = made_.reference("region", "step", TimeClass::kCollective);
};

TEST_F(ClocksInATrace, MessagesArriveAfterTheyWereSent) {
  TraceReader reader = made_.finish();
  const TraceChecks checks = *check(reader);
  EXPECT_EQ(checks.messages.before_sent, 0u);
  EXPECT_GT(checks.before_sent_unaligned, 900u);
  EXPECT_EQ(checks.backward, 0u);
  const auto pairs = *pair_messages(reader);
  ASSERT_EQ(pairs.size(), 2000u);
  for (const MessagePair& pair : pairs) EXPECT_EQ(pair.received_at_ns - pair.sent_at_ns, 50'000u);
}

TEST_F(ClocksInATrace, RangesAndPicturesAreOnTheSameClock) {
  TraceReader reader = made_.finish();
  const TraceLocation& second = reader.locations()[1];
  EXPECT_EQ(second.begin_at_ns, static_cast<uint64_t>(10 * kMs) + 50'000);
  EventCursor cursor(reader, second, {second.begin_at_ns, second.begin_at_ns});
  ASSERT_TRUE(*cursor.next());
  EXPECT_EQ(cursor.events().front().time, second.begin_at_ns);
  for (const uint64_t decoded : {uint64_t{0}, uint64_t{1} << 20}) {
    const Overview seen = *overview(
        reader,
        {.begin_at_ns = 10 * kMs, .end_at_ns = 10 * kMs + 200'000, .columns = 20, .rows = 2, .most_decoded = decoded});
    const auto& plane = seen.planes[static_cast<size_t>(TimeClass::kCollective)];
    uint64_t all = 0;
    for (uint32_t column = 0; column < 20; ++column) all += plane[20 + column];
    if (decoded != 0) {
      EXPECT_EQ(all, 30'000u);
      EXPECT_EQ(plane[20 + 7], 10'000u);
    }
  }
}

TEST_F(ClocksInATrace, WithoutAlignmentTimesAreThoseOfTheFile) {
  TraceReader reader = made_.finish();
  reader.align(false);
  EXPECT_EQ(reader.locations()[1].begin_at_ns, static_cast<uint64_t>(7 * kMs) + 50'000);
  reader.align(true);
  reader.align(true);
  EXPECT_EQ(reader.locations()[1].begin_at_ns, static_cast<uint64_t>(10 * kMs) + 50'000);
}

}  // namespace
}  // namespace headrace::events
