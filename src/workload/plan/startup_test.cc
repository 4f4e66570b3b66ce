#include "workload/plan/startup.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

/// Carries the plans of all ranks out with messages that wait to be taken, and counts what each rank got.
std::vector<uint64_t> bytes_of_ranks(const Pattern& pattern, int ranks) {
  std::vector<std::vector<Operation>> plans;
  for (int rank = 0; rank < ranks; ++rank) plans.push_back(plan_of(pattern, 1, rank));
  std::vector<size_t> at(plans.size());
  std::vector<uint64_t> got(plans.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t rank = 0; rank < plans.size(); ++rank) {
      if (at[rank] == plans[rank].size()) continue;
      const Operation& now = plans[rank][at[rank]];
      if (now.verb == Verb::kReceive) continue;  // its sender moves it on
      if (now.verb == Verb::kSend) {
        const auto peer = static_cast<size_t>(now.peer);
        if (at[peer] == plans[peer].size()) continue;
        const Operation& other = plans[peer][at[peer]];
        if (other.verb != Verb::kReceive || other.peer != static_cast<int>(rank)) continue;
        EXPECT_TRUE(now.received);
        EXPECT_EQ(now.file, other.file);
        EXPECT_EQ(now.offset, other.offset);
        got[peer] += other.bytes;
        ++at[peer];
      }
      if (now.verb == Verb::kRead) got[rank] += now.bytes;
      ++at[rank];
      moved = true;
    }
  }
  for (size_t rank = 0; rank < plans.size(); ++rank) EXPECT_EQ(at[rank], plans[rank].size()) << "rank " << rank;
  return got;
}

TEST(Startup, EveryRankGetsAllFiles) {
  for (const StartupScheme scheme : {StartupScheme::kEveryone, StartupScheme::kLeader, StartupScheme::kTree})
    for (int ranks = 1; ranks < 18; ++ranks) {
      const auto pattern = make_startup({.scheme = scheme, .files = 3, .size = 100, .transfer = 64, .ranks = ranks});
      ASSERT_TRUE(pattern.ok()) << pattern.message();
      EXPECT_EQ(bytes_of_ranks(**pattern, ranks), std::vector<uint64_t>(static_cast<size_t>(ranks), 300));
    }
}

TEST(Startup, OneRankReadsForTheOthers) {
  const auto pattern = make_startup({.scheme = StartupScheme::kTree, .files = 1, .size = 8, .ranks = 8});
  EXPECT_EQ(plan_of(**pattern, 1, 0).size(), 6u) << "open, read, three messages, close";
  EXPECT_EQ(plan_of(**pattern, 1, 4).size(), 3u) << "a message from rank 0, and one to 6 and 5 each";
  EXPECT_EQ(plan_of(**pattern, 1, 7).size(), 1u);
  EXPECT_TRUE(plan_of(**pattern, 0, 1).empty());
}

TEST(Startup, WhatMakesNoSenseIsRefused) {
  for (const StartupSettings& settings :
       {StartupSettings{.files = 0}, StartupSettings{.files = uint64_t{1} << 40}, StartupSettings{.size = 0},
        StartupSettings{.transfer = 0}, StartupSettings{.files = 1 << 30, .size = uint64_t{1} << 60}})
    EXPECT_EQ(make_startup(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
