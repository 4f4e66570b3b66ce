// Receivers wait for what is sent late, each moment once, and nobody waits where that is not known.

#include "events/message_sums.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::TimeClass;

struct Ranks {
  MadeTrace made;
  const uint32_t world = made.reference("communicator", "world", TimeClass::kMessages);
  const uint32_t recv = made.reference("region", "MPI_Recv", TimeClass::kMessages, "mpi");
  const uint32_t step = made.reference("region", "step", TimeClass::kProgram, "phase");

  void add(int rank, const std::vector<model::Event>& events) {
    made.add({.process = static_cast<uint64_t>(rank) + 1, .thread = 1, .rank = rank}, events);
  }
  MessageSums sums() {
    TraceReader trace = made.finish();
    auto pairs = pair_messages(trace).value();
    return sum_messages(pairs);
  }
};

TEST(MessageSums, TellWhoWaitedForWhom) {
  Ranks ranks;
  ranks.add(0, {event(100, kSend, ranks.world, 1, 8, 0), event(200, kSend, ranks.world, 1, 8, 0)});
  // One that came 60 late, and one that had been sent already.
  ranks.add(
      1, {event(40, kEnter, ranks.recv), event(110, kReceive, ranks.world, 0, 8, 0), event(111, kLeave, ranks.recv),
          event(300, kEnter, ranks.recv), event(310, kReceive, ranks.world, 0, 8, 0), event(311, kLeave, ranks.recv)});
  const MessageSums sums = ranks.sums();
  ASSERT_EQ(sums.pairs.size(), 1u);
  const RankPair& pair = sums.pairs.front();
  EXPECT_EQ(std::pair(pair.from, pair.to), (std::pair<uint32_t, uint32_t>{0, 1}));
  EXPECT_EQ((std::array{pair.messages, pair.bytes, pair.late, pair.waited_ns, pair.longest_ns}),
            (std::array<uint64_t, 5>{2, 16, 1, 60, 60}));
}

TEST(MessageSums, CountEachMomentOfACallOnce) {
  Ranks ranks;
  ranks.add(0, {event(70, kSend, ranks.world, 2, 1, 0)});
  ranks.add(1, {event(90, kSend, ranks.world, 2, 1, 0)});
  ranks.add(2, {event(50, kEnter, ranks.recv), event(100, kReceive, ranks.world, 1, 1, 0),
                event(100, kReceive, ranks.world, 0, 1, 0), event(101, kLeave, ranks.recv)});
  const MessageSums sums = ranks.sums();
  ASSERT_EQ(sums.pairs.size(), 2u);
  EXPECT_EQ(sums.pairs[0].waited_ns, 20u);
  EXPECT_EQ(sums.pairs[1].waited_ns, 20u);
}

TEST(MessageSums, WaitNoLongerThanTheCallWhereClocksDiffer) {
  Ranks ranks;
  ranks.add(0, {event(500, kSend, ranks.world, 1, 1, 0)});
  ranks.add(1,
            {event(50, kEnter, ranks.recv), event(80, kReceive, ranks.world, 0, 1, 0), event(81, kLeave, ranks.recv)});
  const MessageSums sums = ranks.sums();
  EXPECT_EQ(sums.before_sent, 1u);
  EXPECT_EQ(sums.pairs.front().waited_ns, 30u);
}

TEST(MessageSums, DoNotTakeAPhaseForACall) {
  Ranks ranks;
  ranks.add(0, {event(60, kSend, ranks.world, 1, 1, 0), event(61, kSend, ranks.world, 3, 5, 0)});
  ranks.add(1,
            {event(50, kEnter, ranks.step), event(80, kReceive, ranks.world, 0, 1, 0), event(81, kLeave, ranks.step)});
  const MessageSums sums = ranks.sums();
  EXPECT_EQ(sums.without_call, 1u);
  EXPECT_EQ(sums.pairs[0].waited_ns, 0u);
  EXPECT_EQ((std::array{sums.pairs[1].not_received, sums.pairs[1].bytes}), (std::array<uint64_t, 2>{1, 5}));
}

}  // namespace
}  // namespace headrace::events
