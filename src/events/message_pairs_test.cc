// Messages find their other ends, whatever is missing.

#include "events/message_pairs.h"

#include <gtest/gtest.h>

#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;

TEST(MessagePairs, AreInTheOrderOfEachChannel) {
  MadeTrace made;
  const uint32_t world = made.reference("communicator", "world", model::TimeClass::kMessages);
  // Tag 3 twice, tag 4 once, one to a rank that is not there, and one that overtakes another tag.
  made.add({.process = 1, .thread = 1, .rank = 0},
           {event(10, kSend, world, 1, 100, 3), event(20, kSend, world, 1, 50, 4), event(30, kSend, world, 1, 200, 3),
            event(40, kSend, world, 7, 1, 3)});
  made.add({.process = 2, .thread = 1, .rank = 1},
           {event(25, kReceive, world, 0, 50, 4), event(50, kReceive, world, 0, 100, 3),
            event(60, kReceive, world, 0, 200, 3), event(70, kReceive, world, 0, 9, 99)});
  made.add({.process = 3, .thread = 1, .rank = -1}, {event(5, kSend, world, 1, 1, 3)});
  TraceReader trace = made.finish();
  const auto pairs = pair_messages(trace).value();
  ASSERT_EQ(pairs.size(), 5u);
  const auto times = [&](size_t i) { return std::pair(pairs[i].sent_at_ns, pairs[i].received_at_ns); };
  EXPECT_EQ(times(0), (std::pair<uint64_t, uint64_t>{10, 50}));
  EXPECT_EQ(times(1), (std::pair<uint64_t, uint64_t>{20, 25}));
  EXPECT_EQ(times(2), (std::pair<uint64_t, uint64_t>{30, 60}));
  EXPECT_EQ(times(3), (std::pair<uint64_t, uint64_t>{40, MessagePair::kNever}));
  EXPECT_EQ(times(4), (std::pair<uint64_t, uint64_t>{MessagePair::kNever, 70}));
  EXPECT_EQ(pairs[0].from_location, 0u);
  EXPECT_EQ(pairs[0].to_location, 1u);
  EXPECT_EQ(pairs[2].sent, 200u);
  EXPECT_EQ(pairs[2].received, 200u);
  EXPECT_EQ(pairs[3].to, 7u);
  EXPECT_EQ(pairs[3].to_location, MessagePair::kNoLocation);
  EXPECT_EQ(pair_messages(trace, {26, 45}).value().size(), 2u);
  EXPECT_EQ(pair_messages(trace, {60, 60}).value().size(), 1u);
}

TEST(MessagePairs, OfThreadsOfARankAreInTheOrderOfTime) {
  MadeTrace made;
  const uint32_t world = made.reference("communicator", "world", model::TimeClass::kMessages);
  made.add({.process = 1, .thread = 1, .rank = 0},
           {event(10, kSend, world, 1, 1, 3), event(40, kSend, world, 1, 4, 3)});
  made.add({.process = 1, .thread = 2, .rank = 0},
           {event(20, kSend, world, 1, 2, 3), event(30, kSend, world, 1, 3, 3)});
  made.add({.process = 2, .thread = 1, .rank = 1},
           {event(50, kReceive, world, 0, 1, 3), event(80, kReceive, world, 0, 4, 3)});
  made.add({.process = 2, .thread = 2, .rank = 1},
           {event(60, kReceive, world, 0, 2, 3), event(70, kReceive, world, 0, 3, 3)});
  TraceReader trace = made.finish();
  const auto pairs = pair_messages(trace).value();
  ASSERT_EQ(pairs.size(), 4u);
  for (const MessagePair& pair : pairs) EXPECT_EQ(pair.sent, pair.received);
}

}  // namespace
}  // namespace headrace::events
