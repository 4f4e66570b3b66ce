#include "cluster/cluster.h"

#include <gtest/gtest.h>

#include <limits>

#include "cluster/made_points.h"

namespace headrace::cluster {
namespace {

Clustering clustered(const Points& points, const Options& options = {}) {
  base::SerialCommunicator alone;
  auto result = cluster(alone, points, options);
  EXPECT_TRUE(result.ok()) << result.message();
  return std::move(*result);
}

/// The rows that the clusters were made of, without noise, and where they went.
double likeness(const MadePoints& made, const Clustering& found) {
  std::vector<uint32_t> truth, assigned;
  for (size_t i = 0; i < made.truth.size(); ++i) {
    if (made.truth[i] == kNoise) continue;
    truth.push_back(made.truth[i]);
    assigned.push_back(found.assigned[i]);
  }
  return rand_index(truth, assigned);
}

uint64_t false_outliers(const MadePoints& made, const Clustering& found) {
  uint64_t count = 0;
  for (size_t i = 0; i < made.truth.size(); ++i) count += made.truth[i] != kNoise && found.score[i] > kOutlier;
  return count;
}

struct Named {
  const char* name;
  MadeKind kind;
};

class Shapes : public testing::TestWithParam<Named> {};

TEST_P(Shapes, AreFoundWhateverTheirNumber) {
  MadeKind kind = GetParam().kind;
  for (kind.k = 1; kind.k <= 12; kind.k += kind.k < 4 ? 1 : 4) {
    const MadePoints made(kind, 4711 + kind.k);
    const Clustering found = clustered(made.points());
    EXPECT_EQ(found.clusters.size(), kind.k);
    EXPECT_GE(likeness(made, found), 0.99) << kind.k;
    EXPECT_LE(false_outliers(made, found), kind.rows / 1000) << kind.k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Made, Shapes,
    testing::Values(Named{"normal", {.rows = 4000, .dims = 8}},
                    Named{"noisy", {.rows = 4000, .dims = 32, .noise = 0.02}},
                    Named{"laplace", {.rows = 4000, .dims = 16, .shape = "laplace", .noise = 0.01}},
                    Named{"anisotropic", {.rows = 4000, .dims = 16, .shape = "anisotropic", .noise = 0.01}},
                    Named{"same", {.rows = 4000, .dims = 8, .shape = "same", .noise = 0.02}},
                    Named{"constant", {.rows = 4000, .dims = 16, .noise = 0.01, .constant = 9}},
                    Named{"together", {.rows = 4000, .dims = 16, .noise = 0.01, .together = 2}},
                    Named{"unequal", {.rows = 4000, .dims = 16, .unequal = 1.25, .noise = 0.01}}),
    [](const auto& info) { return info.param.name; });

TEST(Clusters, StatisticsAreThoseOfTheRows) {
  const MadePoints made({.rows = 3000, .dims = 5, .k = 3, .noise = 0.02}, 5);
  const Clustering found = clustered(made.points());
  ASSERT_EQ(found.clusters.size(), 3u);
  uint64_t all = 0;
  for (uint32_t c = 0; c < 3; ++c) {
    const Cluster& each = found.clusters[c];
    all += each.with_outliers;
    EXPECT_EQ(found.assigned[each.representative], c);
    for (uint32_t j = 0; j < 5; ++j) {
      double sum = 0, squares = 0, least = 1e9, most = -1e9, rows = 0;
      for (size_t i = 0; i < made.truth.size(); ++i) {
        if (found.assigned[i] != c || found.score[i] > kOutlier) continue;
        const double value = made.values[i * 5 + j];
        ++rows;
        sum += value;
        squares += value * value;
        least = std::min(least, value);
        most = std::max(most, value);
      }
      EXPECT_EQ(each.regular, rows);
      EXPECT_NEAR(each.mean[j], sum / rows, 1e-5);
      EXPECT_NEAR(each.variance[j], squares / rows - sum / rows * sum / rows, 1e-4);
      EXPECT_EQ(each.least[j], least);
      EXPECT_EQ(each.most[j], most);
      EXPECT_EQ(each.representative_values[j], made.values[each.representative * 5 + j]);
    }
  }
  EXPECT_EQ(all, 3000u);
  EXPECT_GE(found.clusters[0].regular, found.clusters[1].regular);
}

TEST(Clusters, OneSlowDimensionOfOneRowIsSeen) {
  for (const auto& [shape, deviations] : {std::pair{"normal", 12.0}, std::pair{"laplace", 20.0}}) {
    const MadePoints made({.rows = 5000, .dims = 32, .k = 4, .shape = shape, .straggle = deviations}, 9);
    const Clustering found = clustered(made.points());
    EXPECT_EQ(found.clusters.size(), 4u);
    EXPECT_GT(found.score[made.straggler], kOutlier) << shape;
    ASSERT_FALSE(found.worst.empty());
    EXPECT_EQ(found.worst[0].id, made.straggler);
    EXPECT_EQ(found.worst[0].dim, made.straggler_dim);
  }
}

TEST(Clusters, ASlowDimensionIsSeenBesideWhatAllHaveInCommon) {
  const MadePoints made({.rows = 5000, .dims = 32, .k = 4, .straggle = 14, .together = 3}, 9);
  const Clustering found = clustered(made.points());
  EXPECT_EQ(found.clusters.size(), 4u);
  EXPECT_GT(found.model.axes.most, 0u);
  EXPECT_GT(found.score[made.straggler], kOutlier);
  ASSERT_FALSE(found.worst.empty());
  EXPECT_EQ(found.worst[0].id, made.straggler);
  EXPECT_EQ(found.worst[0].dim, made.straggler_dim);
}

TEST(Clusters, DimensionsThatKnowNothingOfEachOtherHaveNoAxes) {
  const MadePoints made({.rows = 4000, .dims = 16, .k = 3, .noise = 0.02}, 6);
  EXPECT_EQ(clustered(made.points()).model.axes.most, 0u);
}

/// Two long clusters side by side, across both dimensions.
std::vector<double> long_ones(uint32_t rows, double apart, std::vector<uint32_t>& truth) {
  const MadePoints made({.rows = rows, .dims = 2, .k = 1}, 3);
  std::vector<double> values;
  for (uint32_t i = 0; i < rows; ++i) {
    const double x = made.values[2 * i] - made.values[0], y = made.values[2 * i + 1] - made.values[1];
    const double along = 12 * x, beside = y + apart * (i % 2);
    values.insert(values.end(), {(along + beside) / std::sqrt(2.0), (along - beside) / std::sqrt(2.0)});
    truth.push_back(i % 2);
  }
  return values;
}

TEST(Clusters, LongOnesSideBySideAreTwo) {
  for (const double apart : {0.0, 9.0}) {
    std::vector<uint32_t> truth;
    const auto values = long_ones(3000, apart, truth);
    const Clustering found = clustered({values.data(), 3000, 2, true});
    ASSERT_EQ(found.clusters.size(), apart > 0 ? 2u : 1u);
    if (apart == 0) continue;
    EXPECT_GE(rand_index(truth, found.assigned), 0.99);
  }
}

TEST(Clusters, SixteenRowsOfTwoKindsAreTwo) {
  int right = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const MadePoints made({.rows = 16, .dims = 4 + static_cast<uint32_t>(seed % 8), .k = 2}, seed);
    right += clustered(made.points()).clusters.size() == 2;
  }
  EXPECT_GE(right, 36);
}

TEST(Clusters, ASmallGroupIsAClusterAndFewerRowsAreOutliers) {
  const MadePoints made({.rows = 10000, .dims = 8, .k = 3, .noise = 0.01, .group = 20}, 3);
  const Clustering found = clustered(made.points());
  ASSERT_EQ(found.clusters.size(), 4u);
  EXPECT_NEAR(static_cast<double>(found.clusters[3].regular), 20, 4);
  EXPECT_GE(likeness(made, found), 0.99);

  const MadePoints few({.rows = 10000, .dims = 8, .k = 3, .group = 5}, 3);
  const Clustering without = clustered(few.points());
  EXPECT_EQ(without.clusters.size(), 3u);
  EXPECT_EQ(without.outliers, 5u);
}

/// They lie around the centres, and each deviates in dimensions of its own.
TEST(Clusters, SuspectsOfManyRowsAreNoGroups) {
  const MadePoints made({.rows = 200000, .dims = 32, .k = 2}, 4);
  const Clustering found = clustered(made.points());
  EXPECT_EQ(found.clusters.size(), 2u);
  EXPECT_EQ(likeness(made, found), 1);
}

TEST(Clusters, OfFewRows) {
  EXPECT_EQ(clustered({nullptr, 0, 3, true}).clusters.size(), 0u);
  const double one[] = {1, 2, 3};
  const Clustering alone = clustered({one, 1, 3, true});
  ASSERT_EQ(alone.clusters.size(), 1u);
  EXPECT_EQ(alone.clusters[0].mean, std::vector<double>({1, 2, 3}));
  EXPECT_EQ(alone.clusters[0].variance, std::vector<double>({0, 0, 0}));
  EXPECT_EQ(alone.outliers, 0u);
  const double four[] = {1, 100, 1, 100, 50, 3, 50, 3};
  const Clustering pairs = clustered({four, 4, 2, true});
  EXPECT_EQ(pairs.clusters.size(), 2u);
  for (size_t rows = 2; rows < 12; ++rows) {
    const std::vector<double> equal(rows * 2, 7.0);
    const Clustering same = clustered({equal.data(), rows, 2, true});
    EXPECT_EQ(same.clusters.size(), 1u);
    EXPECT_EQ(same.outliers, 0u);
  }
}

TEST(Clusters, RowsThatAreNoNumbersAreLeftOutAndCounted) {
  MadePoints made({.rows = 3000, .dims = 4, .k = 2}, 1);
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(), 1.7e308};
  for (size_t i = 0; i < 4; ++i) made.values[i * 40 + i] = bad[i];
  const Clustering found = clustered(made.points());
  EXPECT_EQ(found.unusable, 4u);
  EXPECT_EQ(found.clusters.size(), 2u);
  EXPECT_EQ(found.clusters[0].with_outliers + found.clusters[1].with_outliers, 2996u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(found.assigned[i * 10], kNoCluster);

  const std::vector<double> none(40, bad[0]);
  const Clustering nothing = clustered({none.data(), 10, 4, true});
  EXPECT_EQ(nothing.unusable, 10u);
  EXPECT_EQ(nothing.clusters.size(), 0u);
  EXPECT_EQ(nothing.assigned, std::vector<uint32_t>(10, kNoCluster));

  // Nearly all of a table that is larger than the sample.
  MadePoints sparse({.rows = 60000, .dims = 4, .k = 3}, 2);
  for (size_t i = 0; i < 60000; ++i)
    if (i % 20 != 0) sparse.values[i * 4] = bad[0];
  const Clustering few = clustered(sparse.points());
  EXPECT_EQ(few.unusable, 57000u);
  EXPECT_EQ(few.clusters.size(), 3u);
}

TEST(Clusters, HugeAndTinyValuesOverflowNothing) {
  for (const double unit : {1e299 / 200, 1e-280}) {
    MadePoints made({.rows = 3000, .dims = 6, .k = 3}, 8);
    for (double& each : made.values) each *= unit;
    const Clustering found = clustered(made.points());
    EXPECT_EQ(found.clusters.size(), 3u) << unit;
    EXPECT_GE(likeness(made, found), 0.99) << unit;
  }
  MadePoints made({.rows = 3000, .dims = 6, .k = 3}, 8);
  made.values[0] = 1e300;
  const Clustering found = clustered(made.points());
  EXPECT_EQ(found.clusters.size(), 3u);
  EXPECT_GT(found.score[0], kOutlier);
}

TEST(Clusters, FloatsAndUnitsMakeNoDifference) {
  const MadePoints made({.rows = 3000, .dims = 8, .k = 4, .noise = 0.01}, 6);
  const Clustering found = clustered(made.points());
  const std::vector<float> floats(made.values.begin(), made.values.end());
  EXPECT_EQ(clustered({floats.data(), 3000, 8, false}).assigned, found.assigned);
  MadePoints scaled = made;
  for (size_t i = 0; i < scaled.values.size(); ++i) scaled.values[i] *= i % 8 == 3 ? 1048576.0 : 0.25;
  EXPECT_EQ(clustered(scaled.points()).assigned, found.assigned);
}

TEST(Clusters, AreAsManyAsAskedFor) {
  const MadePoints made({.rows = 3000, .dims = 8, .k = 4}, 6);
  for (uint32_t k : {1u, 3u, 4u, 9u}) EXPECT_EQ(clustered(made.points(), {.k = k}).clusters.size(), k);
  const double few[] = {1, 2, 3};
  EXPECT_EQ(clustered({few, 3, 1, true}, {.k = 5}).clusters.size(), 3u);
}

TEST(Clusters, AnyDistanceAndAnyRuleOfNormalisation) {
  const MadePoints made({.rows = 3000, .dims = 6, .k = 3}, 12);
  for (Distance distance : {static_cast<Distance>(nullptr), &euclidean, &chebyshev}) {
    for (Normalisation rule : {Normalisation::kSpread, Normalisation::kRange, Normalisation::kNone}) {
      const Clustering found = clustered(made.points(), {.normalisation = rule, .distance = distance});
      EXPECT_EQ(found.clusters.size(), 3u);
      EXPECT_GE(likeness(made, found), 0.99);
    }
  }
}

TEST(Clusters, WhatMakesNoSenseIsRefused) {
  base::SerialCommunicator alone;
  const double values[4] = {};
  EXPECT_EQ(cluster(alone, {values, 4, 0, true}, {}).code(), base::Code::kInvalid);
  EXPECT_EQ(cluster(alone, {values, 1, 4, true}, {.k = kMostClusters + 1}).code(), base::Code::kLimit);
}

}  // namespace
}  // namespace headrace::cluster
