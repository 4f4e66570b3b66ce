// Ranks wait in collective operations for those that come later, and nothing is told of what does not fit together.

#include "events/collective_waits.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::TimeClass;

struct Call {
  uint64_t begin, end;
};

CollectiveWaits waits_of(const std::string& function, uint32_t root, const std::vector<std::vector<Call>>& ranks,
                         const std::string& over = "world") {
  MadeTrace made;
  const uint32_t world = made.reference("communicator", over, TimeClass::kMessages);
  const uint32_t call = made.reference("region", function, TimeClass::kCollective, "mpi");
  for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
    std::vector<model::Event> events;
    for (const Call& each : ranks[static_cast<size_t>(rank)]) {
      events.push_back(event(each.begin, kEnter, call));
      events.push_back(event(each.end, kCollective, world, root, 8, 8));
      events.push_back(event(each.end, kLeave, call));
    }
    made.add({.process = static_cast<uint64_t>(rank) + 1, .thread = 1, .rank = rank}, events);
  }
  TraceReader trace = made.finish();
  return collective_waits(trace).value();
}

TEST(CollectiveWaits, AreForTheLastThatComes) {
  const auto waits = waits_of("MPI_Barrier", model::kNoRoot, {{{10, 50}}, {{40, 51}}, {{20, 52}}});
  ASSERT_EQ(waits.functions.size(), 1u);
  EXPECT_EQ(waits.functions[0].operations, 1u);
  EXPECT_EQ(waits.functions[0].waited_ns, 50u);
  EXPECT_EQ(waits.functions[0].longest_ns, 30u);
  ASSERT_EQ(waits.ranks.size(), 3u);
  EXPECT_EQ((std::array{waits.ranks[1].times_late, waits.ranks[1].waited_for_ns, waits.ranks[1].waited_ns}),
            (std::array<uint64_t, 3>{1, 50, 0}));
  EXPECT_EQ(waits.ranks[0].waited_ns, 30u);
}

TEST(CollectiveWaits, AreForTheRootAlone) {
  const auto bcast = waits_of("MPI_Bcast", 0, {{{30, 40}}, {{10, 41}}, {{90, 95}}});
  EXPECT_EQ(bcast.functions.at(0).waited_ns, 20u);
  const auto reduce = waits_of("MPI_Reduce", 0, {{{10, 96}}, {{12, 14}}, {{90, 95}}});
  EXPECT_EQ(reduce.functions.at(0).waited_ns, 80u);
  EXPECT_EQ(reduce.ranks.at(1).waited_for_ns, 80u);  // of rank 2: rank 1 waited for nobody
  EXPECT_EQ(reduce.ranks.at(1).rank, 2u);
}

TEST(CollectiveWaits, TellNothingOfWhatDoesNotFit) {
  EXPECT_EQ(waits_of("MPI_Barrier", model::kNoRoot, {{{10, 20}}, {{30, 40}}}).out_of_step, 1u);
  EXPECT_EQ(waits_of("MPI_Barrier", model::kNoRoot, {{{10, 40}, {50, 60}}, {{30, 40}}}).incomplete, 1u);
  for (const auto& none : {waits_of("MPI_Ibarrier", model::kNoRoot, {{{10, 40}}, {{30, 40}}}),
                           waits_of("MPI_Scan", model::kNoRoot, {{{10, 40}}, {{30, 40}}}),
                           waits_of("MPI_Barrier", model::kNoRoot, {{{10, 40}}, {{30, 40}}}, "MPI_COMM_SELF"),
                           waits_of("MPI_Barrier", model::kNoRoot, {{{10, 40}}})}) {
    EXPECT_TRUE(none.functions.empty());
    EXPECT_EQ(none.incomplete + none.out_of_step, 0u);
  }
}

}  // namespace
}  // namespace headrace::events
