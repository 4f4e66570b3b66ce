#include "capture/reduce/end_clusters.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/simulated_ranks.h"
#include "capture/reduce/named_sums.h"
#include "capture/reduce/rank_clusters.h"
#include "intercept/functions.h"

namespace headrace::capture {
namespace {

using base::Communicator;

model::Profile spent(const char* function, uint64_t ns) { return {function, "posix", 1, 0, 0, ns, ns, ns}; }

model::Phase phase(const std::string& path, uint64_t time_ns, std::vector<model::Profile> profiles) {
  model::Phase made;
  made.path = path;
  made.instances = 1;
  made.time_ns = time_ns;
  made.profiles = std::move(profiles);
  return made;
}

/// Every fourth rank writes where the others read; the last one is slow in dumps, and rank 0 was in none.
SpoolContents made(int rank, int size) {
  SpoolContents contents;
  const uint64_t noise = static_cast<uint64_t>((rank * 7919) % 1000) * 1000;
  const uint64_t time = (rank == size - 1 ? 900'000'000u : 30'000'000u) + noise;
  contents.profiles.push_back(spent(rank % 4 == 0 ? "write" : "read", 80'000'000 + noise));
  model::Phase sizes;  // of the whole run
  contents.phases.finished.push_back(sizes);
  if (rank != 0) contents.phases.finished.push_back(phase("dump", time, {spent("pwrite", time)}));
  contents.phases.finished.push_back(phase("idle", 5, {}));
  return contents;
}

TEST(EndClusters, AreThoseOfEachPhaseAndTheRun) {
  for (const int size : {1, 2, 5, 64}) {
    std::set<std::string> told;
    base::simulate_ranks(size, [&](Communicator& ranks) {
      const auto rank = static_cast<uint64_t>(ranks.rank());
      const auto found = cluster_at_end(ranks, made(ranks.rank(), size));
      ASSERT_TRUE(found.ok()) << found.message();
      ASSERT_EQ(found->of_rank.size(), size == 1 ? 1u : 2u) << "nothing was done in idle";
      EXPECT_EQ(found->of_rank[0].phase, "");
      for (const model::ClusterStats& each : found->stats) {
        EXPECT_TRUE(told.insert(each.phase + "/" + std::to_string(each.cluster)).second) << "stored twice";
      }
      if (size < 64) return;
      EXPECT_EQ(found->of_rank[0].cluster, rank % 4 == 0 ? 1u : 0u);
      EXPECT_EQ(found->of_rank[0].representative % 4 == 0, rank % 4 == 0);
      EXPECT_EQ(found->of_rank[1].missing, rank == 0);
      EXPECT_EQ(found->of_rank[1].outlier, rank == 0 || rank == 63);
      EXPECT_EQ(stands_for_itself(*found, rank), rank == 0 || rank == 63 || found->of_rank[0].representative == rank ||
                                                     found->of_rank[1].representative == rank);
    });
    if (size == 64) {
      EXPECT_EQ(told, (std::set<std::string>{"/0", "/1", "dump/0"}));
    }
  }
}

TEST(EndClusters, OfManyPhasesTheLongestAreClustered) {
  base::simulate_ranks(3, [&](Communicator& ranks) {
    SpoolContents contents;
    for (uint64_t i = 0; i < kPhasesClustered + 10; ++i)
      if (i % 3 != static_cast<uint64_t>(ranks.rank()))
        contents.phases.finished.push_back(phase("step" + std::to_string(i), i * 1000, {spent("write", i * 1000 + 1)}));
    contents.profiles.push_back(spent("write", 1000));
    const auto found = cluster_at_end(ranks, contents);
    ASSERT_TRUE(found.ok()) << found.message();
    EXPECT_EQ(found->of_rank.size(), 1 + kPhasesClustered);
    for (size_t i = 1; i < found->of_rank.size(); ++i) {
      EXPECT_NE(found->of_rank[i].phase, "step9");
      EXPECT_NE(found->of_rank[i].phase, "step0");
    }
    EXPECT_EQ(found->phases_left_out, ranks.rank() == 0 ? 10u : 0u);
  });
}

TEST(NamedSums, MeetAtTheFirstRank) {
  for (const int size : {1, 2, 3, 8, 100}) {
    base::simulate_ranks(size, [&](Communicator& ranks) {
      NamedSums sums;
      sums["all"] = {1, static_cast<uint64_t>(ranks.rank())};
      sums["own " + std::to_string(ranks.rank())] = {7};
      ASSERT_TRUE(sum_at_first(ranks, &sums).ok());
      std::vector<std::string> names;
      if (ranks.rank() == 0) {
        const auto n = static_cast<uint64_t>(size);
        EXPECT_EQ(sums.at("all"), (std::vector<uint64_t>{n, n * (n - 1) / 2}));
        EXPECT_EQ(sums.size(), n + 1);
        for (const auto& each : sums) names.push_back(each.first);
      }
      ASSERT_TRUE(tell_texts(ranks, &names).ok());
      EXPECT_EQ(names.size(), static_cast<size_t>(size) + 1);
    });
  }
}

}  // namespace
}  // namespace headrace::capture
