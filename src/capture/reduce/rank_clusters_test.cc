#include "capture/reduce/rank_clusters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/simulated_ranks.h"
#include "intercept/functions.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

using base::Communicator;
using intercept::Fn;
using intercept::LibraryFn;

constexpr auto kWrite = static_cast<uint16_t>(Fn::write), kOpen = static_cast<uint16_t>(Fn::open);
constexpr auto kSend = static_cast<uint16_t>(static_cast<uint16_t>(LibraryFn::MPI_Send) | kLibraryFunction);

/// Every fourth rank writes, the others send to it; rank 5 is slow.
RankTimes made(int rank) {
  RankTimes times;
  const auto noise = static_cast<uint64_t>((rank * 7919) % 1000);
  if (rank % 4 == 0) times.times.push_back({kWrite, 80'000'000 + 1000 * noise});
  if (rank % 4 != 0) times.times.push_back({kSend, (rank == 5 ? 900'000'000 : 20'000'000) + 1000 * noise});
  times.times.push_back({kOpen, 50'000 + noise});
  return times;
}

/// The same rows in one table.
cluster::Clustering off_line(int size) {
  std::vector<double> values;
  for (int rank = 0; rank < size; ++rank) {
    double row[3] = {};  // mpi:MPI_Send, posix:open, posix:write
    for (const FunctionTime& each : made(rank).times)
      row[each.function == kSend ? 0 : each.function == kOpen ? 1 : 2] = static_cast<double>(each.own_ns) * 1e-9;
    values.insert(values.end(), row, row + 3);
  }
  base::SerialCommunicator alone;
  cluster::Options options;
  options.normalisation = cluster::Normalisation::kNone;
  auto found = cluster::cluster(alone, {values.data(), static_cast<size_t>(size), 3, true}, options);
  EXPECT_TRUE(found.ok());
  return std::move(*found);
}

TEST(RankClusters, AreThoseOfTheLogOfTheSameRanks) {
  for (int size : {2, 3, 4, 16, 100, 3000}) {
    const cluster::Clustering expected = off_line(size);
    base::simulate_ranks(size, [&](Communicator& ranks) {
      const auto me = static_cast<size_t>(ranks.rank());
      const auto all = cluster_ranks(ranks, made(ranks.rank()));
      ASSERT_TRUE(all.ok()) << all.message();
      ASSERT_EQ(all->functions, (std::vector<uint16_t>{kSend, kOpen, kWrite}));
      EXPECT_EQ(all->found.assigned[0], expected.assigned[me]);
      EXPECT_EQ(all->found.score[0], expected.score[me]);
      ASSERT_EQ(all->found.clusters.size(), expected.clusters.size());
      for (size_t c = 0; c < expected.clusters.size(); ++c) {
        EXPECT_EQ(all->found.clusters[c].regular, expected.clusters[c].regular);
        EXPECT_EQ(all->found.clusters[c].representative, expected.clusters[c].representative);
        EXPECT_EQ(all->found.clusters[c].mean, expected.clusters[c].mean);
      }
      EXPECT_TRUE(std::isfinite(all->distance()));
      if (expected.clusters[expected.assigned[me]].representative == me) {
        EXPECT_EQ(all->distance(), 0);
      }
    });
  }
}

TEST(RankClusters, OneRankIsItsOwnCluster) {
  base::SerialCommunicator alone;
  const auto all = cluster_ranks(alone, made(0));
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->found.clusters.size(), 1u);
  EXPECT_EQ(all->found.clusters[0].regular, 1u);
  EXPECT_EQ(all->distance(), 0);
}

TEST(RankClusters, ARankThatWasNotThereIsIdleAndCounted) {
  base::simulate_ranks(16, [&](Communicator& ranks) {
    RankTimes mine = made(ranks.rank());
    if (ranks.rank() == 3) mine = {0, true, {}};
    const auto all = cluster_ranks(ranks, mine);
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->missing, 1u);
    EXPECT_EQ(all->found.rows, 16u);
    EXPECT_EQ(all->found.unusable, 0u);
  });
}

TEST(RankClusters, WhatRanksCannotAgreeAboutIsSaidToAll) {
  base::simulate_ranks(7, [&](Communicator& ranks) {
    RankTimes mine = made(ranks.rank());
    mine.asked = ranks.rank() == 2 ? 1 : 2;
    const auto different = cluster_ranks(ranks, mine);
    ASSERT_TRUE(different.ok());
    EXPECT_TRUE(different->different);
    const auto nothing = cluster_ranks(ranks, {});
    ASSERT_TRUE(nothing.ok());
    EXPECT_TRUE(nothing->functions.empty());
  });
}

TEST(RankClusters, ARankThatDiesLeavesNobodyWaiting) {
  for (int gone = 0; gone < 5; ++gone) {
    int failed = 0;
    base::simulate_ranks(5, [&](Communicator& ranks) {
      if (ranks.rank() != gone) failed += cluster_ranks(ranks, made(ranks.rank())).ok() ? 0 : 1;
    });
    EXPECT_EQ(failed, 4) << gone;
  }
}

TEST(RankClusters, FunctionsOfALaterVersionAreLeftOut) {
  base::SerialCommunicator alone;
  RankTimes mine = made(0);
  mine.times.push_back({kMaximumFunctions - 1, 5});
  mine.times.push_back({0xffff, 5});
  const auto all = cluster_ranks(alone, mine);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->functions.size(), 2u);
}

}  // namespace
}  // namespace headrace::capture
