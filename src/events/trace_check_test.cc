// Each check finds what it is for, and nothing in a trace in which nothing is wrong.

#include "events/trace_check.h"

#include <gtest/gtest.h>

#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::TimeClass;

class TraceCheckTest : public testing::Test {
 protected:
  TraceChecks checked() {
    TraceReader reader = made_.finish();
    return *check(reader);
  }

  MadeTrace made_;
  const uint32_t step_ = made_.reference("region", "step", TimeClass::kProgram);
  const uint32_t world_ = made_.reference("communicator", "world", TimeClass::kMessages);
};

TEST_F(TraceCheckTest, FindsNothingWhereNothingIsWrong) {
  made_.add({.process = 1, .thread = 1, .rank = 0},
            {event(1, kEnter, step_), event(2, kSend, world_, 1, 8, 3), event(3, kLeave, step_)});
  made_.add({.process = 2, .thread = 1, .rank = 1}, {event(2, kReceive, world_, 0, 8, 3)});
  const TraceChecks checks = checked();
  EXPECT_EQ(checks.events, 4u);
  EXPECT_EQ(checks.unbalanced + checks.backward + checks.nameless + checks.handleless + checks.unfinished, 0u);
  EXPECT_EQ(checks.messages.matched, 1u);
  EXPECT_EQ(checks.messages.not_received + checks.messages.not_sent + checks.messages.other_size, 0u);
  EXPECT_EQ(checks.messages.before_sent, 0u);
}

TEST_F(TraceCheckTest, FindsWhatIsOutOfBalanceAndOrder) {
  const uint32_t read = made_.reference("function", "read", TimeClass::kRead);
  made_.add({.process = 1, .thread = 1}, {event(5, kEnter, step_), event(4, kIoBegin, read, 7), event(6, kLeave, step_),
                                          event(7, kIoEnd, read, 7), event(8, kEnter, step_)});
  const TraceChecks checks = checked();
  EXPECT_EQ(checks.unbalanced, 2u);
  EXPECT_EQ(checks.unbalanced_at, std::vector<uint32_t>{0});
  EXPECT_EQ(checks.backward, 1u);
  EXPECT_EQ(checks.backward_at, std::vector<uint32_t>{0});
  EXPECT_EQ(checks.unfinished, 1u);
  EXPECT_EQ(checks.handleless, 1u);
}

TEST_F(TraceCheckTest, CountsApartWhatIsOutOfBalanceWhereEventsAreLost) {
  made_.add({.process = 1, .thread = 1, .lost = 1}, {event(6, kLeave, step_)});
  const TraceChecks checks = checked();
  EXPECT_EQ(checks.unbalanced, 0u);
  EXPECT_EQ(checks.unbalanced_where_lost, 1u);
}

TEST_F(TraceCheckTest, MatchesMessages) {
  made_.add({.process = 1, .thread = 1, .rank = 0},
            {event(10, kSend, world_, 1, 8, 3), event(11, kSend, world_, 1, 8, 3), event(12, kSend, world_, 1, 8, 4),
             event(13, kSend, world_, 1, 5, 9)});
  made_.add({.process = 2, .thread = 1, .rank = 1},
            {event(9, kReceive, world_, 0, 8, 3), event(14, kReceive, world_, 0, 8, 3),
             event(15, kReceive, world_, 0, 8, 5), event(16, kReceive, world_, 0, 4, 9)});
  made_.add({.process = 3, .thread = 1}, {event(1, kSend, world_, 1, 1, 1)});
  const TraceChecks checks = checked();
  EXPECT_EQ(checks.messages.matched, 3u);
  EXPECT_EQ(checks.messages.not_received, 1u);
  EXPECT_EQ(checks.messages.not_sent, 1u);
  EXPECT_EQ(checks.messages.other_size, 1u);
  EXPECT_EQ(checks.messages.before_sent, 1u);
  EXPECT_EQ(checks.of_no_rank, 1u);
}

TEST_F(TraceCheckTest, KnowsWhoseMessagesNeedNotArrive) {
  const uint32_t finalize = made_.reference("region", "MPI_Finalize", TimeClass::kCollective, "mpi");
  const auto sends = [&](uint32_t to) { return event(10, kSend, world_, to, 8, 3); };
  made_.add({.process = 1, .thread = 1, .rank = 0},
            {sends(1), sends(2), event(20, kEnter, finalize), event(21, kLeave, finalize)});
  made_.add({.process = 2, .thread = 1, .rank = 1}, {event(20, kEnter, finalize), event(21, kLeave, finalize)});
  made_.add({.process = 3, .thread = 1, .rank = 2},
            {event(11, kReceive, world_, 0, 9, 3), event(12, kReceive, world_, 1, 8, 3), event(20, kEnter, finalize)});
  TraceReader reader = made_.finish();
  const TraceChecks by_trace = *check(reader);
  EXPECT_EQ(by_trace.messages.not_received, 1u);
  EXPECT_EQ(by_trace.messages.not_sent, 1u);
  EXPECT_EQ(by_trace.messages.other_size, 1u);
  EXPECT_EQ(by_trace.messages.of_unfinalized, 2u);  // all but that to rank 1, which came to the end
  EXPECT_EQ(by_trace.unfinalized, std::vector<uint32_t>{2});
  EXPECT_TRUE(by_trace.knows_finalize);
  const TraceChecks by_caller = *check(reader, std::vector<uint32_t>{2});
  EXPECT_EQ(by_caller.messages.of_unfinalized, 0u);
  EXPECT_TRUE(by_caller.unfinalized.empty());
}

}  // namespace
}  // namespace headrace::events
