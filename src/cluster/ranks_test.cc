#include <gtest/gtest.h>

#include <map>

#include "base/simulated_ranks.h"
#include "cluster/cluster.h"
#include "cluster/made_points.h"

namespace headrace::cluster {
namespace {

using base::Communicator;

/// A part of a table.
Points part(const MadePoints& made, size_t first, size_t rows) {
  Points points = made.points();
  points.data = made.values.data() + first * points.dims;
  points.rows = rows;
  return points;
}

void expect_same(const Clustering& a, const Clustering& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.outliers, b.outliers);
  EXPECT_EQ(a.unusable, b.unusable);
  ASSERT_EQ(a.clusters.size(), b.clusters.size());
  for (size_t c = 0; c < a.clusters.size(); ++c) {
    EXPECT_EQ(a.clusters[c].with_outliers, b.clusters[c].with_outliers);
    EXPECT_EQ(a.clusters[c].regular, b.clusters[c].regular);
    EXPECT_EQ(a.clusters[c].representative, b.clusters[c].representative);
    EXPECT_EQ(a.clusters[c].representative_values, b.clusters[c].representative_values);
    EXPECT_EQ(a.clusters[c].mean, b.clusters[c].mean);
    EXPECT_EQ(a.clusters[c].variance, b.clusters[c].variance);
    EXPECT_EQ(a.clusters[c].least, b.clusters[c].least);
    EXPECT_EQ(a.clusters[c].most, b.clusters[c].most);
  }
  ASSERT_EQ(a.worst.size(), b.worst.size());
  for (size_t i = 0; i < a.worst.size(); ++i) {
    EXPECT_EQ(a.worst[i].id, b.worst[i].id);
    EXPECT_EQ(a.worst[i].cluster, b.worst[i].cluster);
    EXPECT_EQ(a.worst[i].dim, b.worst[i].dim);
  }
}

/// Clusters the rows on as many ranks as there are entries, each with so many rows, and compares with one rank.
void compare(const MadePoints& made, const std::vector<size_t>& rows) {
  base::SerialCommunicator alone;
  const auto expected = cluster(alone, made.points(), {});
  ASSERT_TRUE(expected.ok());
  std::vector<size_t> first = {0};
  for (size_t each : rows) first.push_back(first.back() + each);
  ASSERT_EQ(first.back(), made.truth.size());
  int done = 0;
  base::simulate_ranks(static_cast<int>(rows.size()), [&](Communicator& ranks) {
    const auto me = static_cast<size_t>(ranks.rank());
    const auto found = cluster(ranks, part(made, first[me], rows[me]), {});
    ASSERT_TRUE(found.ok()) << found.message();
    EXPECT_EQ(found->first, first[me]);
    if (me % 97 == 0) expect_same(*found, *expected);
    for (size_t i = 0; i < rows[me]; ++i) {
      EXPECT_EQ(found->assigned[i], expected->assigned[first[me] + i]);
      EXPECT_EQ(found->score[i], expected->score[first[me] + i]);
    }
    ++done;
  });
  EXPECT_EQ(done, static_cast<int>(rows.size()));
}

TEST(Ranks, FindWhatOneFindsWhereDimensionsGoTogether) {
  const MadePoints made({.rows = 3000, .dims = 6, .k = 4, .noise = 0.02, .together = 2}, 17);
  compare(made, {1000, 0, 500, 1, 499, 1000});
}

TEST(Ranks, FindWhatOneFinds) {
  const MadePoints made({.rows = 3000, .dims = 6, .k = 4, .noise = 0.02, .group = 25}, 17);
  compare(made, std::vector<size_t>(3000, 1));
  compare(made, {0, 1000, 0, 1, 1999, 0, 0});
  compare(made, {3000});
  compare(made, {1500, 1500});
}

TEST(Ranks, FewerThanTheSampleAndAPowerOfTwoOrNot) {
  for (uint32_t ranks : {1u, 2u, 3u, 8u, 13u, 100u}) {
    const MadePoints made({.rows = ranks, .dims = 4, .k = 2}, ranks);
    compare(made, std::vector<size_t>(ranks, 1));
  }
}

TEST(Ranks, WithoutAnyRows) {
  base::simulate_ranks(5, [&](Communicator& ranks) {
    const auto found = cluster(ranks, {}, {});
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->rows, 0u);
    EXPECT_TRUE(found->clusters.empty());
  });
}

TEST(Ranks, ThatDisagreeAboutDimensionsAllSaySo) {
  const double values[6] = {};
  int refused = 0;
  base::simulate_ranks(5, [&](Communicator& ranks) {
    const auto found = cluster(ranks, {values, 1, ranks.rank() == 3 ? 5u : 6u, true}, {});
    refused += found.code() == base::Code::kInvalid;
  });
  EXPECT_EQ(refused, 5);
}

TEST(Ranks, AFailureEndsWithAnErrorAndNotInADeadlock) {
  const double values[6] = {};
  base::simulate_ranks(6, [&](Communicator& ranks) {
    if (ranks.rank() == 4) return;  // dies
    EXPECT_FALSE(cluster(ranks, {values, 1, 6, true}, {}).ok());
  });
}

/// Messages a rank, and bytes that the busiest rank gets besides the sample.
TEST(Ranks, StepsGrowWithTheLogarithmOfTheirNumber) {
  std::map<uint32_t, double> messages;
  for (uint32_t count : {256u, 4096u}) {
    const MadePoints made({.rows = count, .dims = 4, .k = 3}, 5);
    const base::Simulation done = base::simulate_ranks(static_cast<int>(count), [&](Communicator& ranks) {
      EXPECT_TRUE(cluster(ranks, part(made, static_cast<size_t>(ranks.rank()), 1), {}).ok());
    });
    messages[count] = static_cast<double>(done.messages) / count;
  }
  EXPECT_LE(messages[4096], messages[256] * 1.7);  // of exclusive_sum alone: log2 4096 / log2 256 = 1.5
}

}  // namespace
}  // namespace headrace::cluster
