// Threads that begin in MPI_Init, and others.

#include "events/mpi_threads.h"

#include <gtest/gtest.h>

#include <numeric>

#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::TimeClass;

/// MPI_Init from 100 to 200; threads that begin at 50, 150 and 250; another process without it.
TraceReader made_of(MadeTrace& made, const std::string& layer) {
  const uint32_t init = made.reference("region", "MPI_Init", TimeClass::kCollective, layer);
  const uint32_t thread = made.reference("region", "thread", TimeClass::kProgram, "thread");
  made.add({.process = 1, .thread = 1, .rank = 0}, {event(100, kEnter, init), event(200, kLeave, init)});
  uint32_t number = 2;
  for (const uint64_t begin : {50, 150, 250})
    made.add({.process = 1, .thread = number++, .rank = 0}, {event(begin, kEnter, thread), event(300, kLeave, thread)});
  made.add({.process = 2, .thread = 1}, {event(100, kEnter, thread)});
  made.add({.process = 2, .thread = 2}, {event(150, kEnter, thread)});
  return made.finish();
}

std::vector<uint32_t> every(const TraceReader& reader) {
  std::vector<uint32_t> all(reader.locations().size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(MpiThreads, AreThoseThatBeginInMpiInit) {
  MadeTrace made;
  TraceReader reader = made_of(made, "mpi");
  const std::vector<uint32_t> found = *threads_of_mpi(reader, every(reader));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(reader.locations()[found[0]].what.thread, 3u);
}

TEST(MpiThreads, AreNotToldByARegionOfTheProgramWithThatName) {
  MadeTrace made;
  TraceReader reader = made_of(made, "region");
  EXPECT_TRUE(threads_of_mpi(reader, every(reader))->empty());
}

TEST(MpiThreads, AreLookedForWhereTheyAreAskedFor) {
  MadeTrace made;
  TraceReader reader = made_of(made, "mpi");
  std::vector<uint32_t> asked;
  for (const uint32_t each : every(reader))
    if (reader.locations()[each].what.thread != 3) asked.push_back(each);
  EXPECT_TRUE(threads_of_mpi(reader, asked)->empty());
  EXPECT_TRUE(threads_of_mpi(reader, {})->empty());
  EXPECT_TRUE(threads_of_mpi(reader, {1u << 30})->empty()) << "there is no such location";
}

}  // namespace
}  // namespace headrace::events
