// The parts that clustering is made of.
#include <gtest/gtest.h>

#include "cluster/capek.h"
#include "cluster/criterion.h"
#include "cluster/made_points.h"
#include "cluster/model.h"
#include "cluster/pam.h"
#include "cluster/quantile.h"
#include "cluster/refine.h"

namespace headrace::cluster {
namespace {

Placed placed(const MadePoints& made, Normalisation rule = Normalisation::kSpread) {
  return place_all(make_space(made.points(), rule, 1), made.points());
}

double loss(const std::vector<float>& distances, uint32_t count, const std::vector<uint32_t>& medoids) {
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    float least = distances[medoids[0] * count + i];
    for (uint32_t medoid : medoids) least = std::min(least, distances[medoid * count + i]);
    sum += least;
  }
  return sum;
}

TEST(Medoids, AreAlmostAlwaysTheBestOfAllPairs) {
  int best = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const MadePoints made({.rows = 30, .dims = 3, .k = 3}, seed);
    const Placed rows = placed(made);
    std::vector<uint32_t> all(30);
    for (uint32_t i = 0; i < 30; ++i) all[i] = i;
    const auto distances = distances_among(rows, all, nullptr);
    double least = 1e30;
    for (uint32_t a = 0; a < 30; ++a)
      for (uint32_t b = 0; b < a; ++b) least = std::min(least, loss(distances, 30, {a, b}));
    const double found = loss(distances, 30, find_medoids(distances, 30, 2));
    EXPECT_LE(found, 1.1 * least) << seed;
    best += found <= least * (1 + 1e-6);
  }
  EXPECT_GE(best, 18);
}

TEST(Medoids, OfEqualPoints) {
  const std::vector<float> zeros(25, 0);
  EXPECT_EQ(find_medoids(zeros, 5, 3).size(), 3u);
  EXPECT_EQ(find_medoids(zeros, 5, 5).size(), 5u);
}

TEST(Distances, OfVectorsAreTheSums) {
  Random random(1, 1);
  std::vector<float> a(24), b(24);
  double sum = 0;
  for (size_t i = 0; i < 20; ++i) {
    a[i] = static_cast<float>(random.below(1000));
    b[i] = static_cast<float>(random.below(1000));
    sum += std::fabs(a[i] - b[i]);
  }
  EXPECT_EQ(manhattan(a.data(), b.data(), 24), sum);
}

TEST(Spaces, WeighDimensionsByTheRule) {
  MadePoints made({.rows = 2000, .dims = 5, .k = 4, .constant = 1}, 2);
  for (size_t i = 0; i < made.values.size(); i += 5) made.values[i] *= 1000;
  const Points points = made.points();
  const Space none = make_space(points, Normalisation::kNone, 1),
              spread = make_space(points, Normalisation::kSpread, 1);
  EXPECT_EQ(none.weight[0], none.weight[1]);
  EXPECT_NEAR(spread.weight[1] / spread.weight[0], 1000, 500);
  // A row and its nearest are more alike than any two of a cluster; all dimensions vary as much.
  for (uint32_t j = 1; j < 4; ++j) EXPECT_NEAR(spread.weight[j] / spread.weight[1], 1, 0.5);
  EXPECT_DOUBLE_EQ(spread.middle[4], 100);
}

TEST(Spaces, OfRowsThatAreAllTheSame) {
  const std::vector<double> rows(40, 3.0);
  for (Normalisation rule : {Normalisation::kSpread, Normalisation::kRange, Normalisation::kNone}) {
    const Space space = make_space({rows.data(), 10, 4, true}, rule, 1);
    for (double each : space.weight) EXPECT_TRUE(std::isfinite(each) && each > 0);
    for (float each : place_all(space, {rows.data(), 10, 4, true}).values) EXPECT_EQ(each, 0);
  }
}

TEST(Criteria, ChooseTheNumberAndStayFinite) {
  for (const char* shape : {"normal", "same"}) {
    const MadePoints made({.rows = 1500, .dims = 6, .k = 4, .shape = shape}, 6);
    const Placed rows = placed(made);
    const Criterion criterion(rows, 6);
    std::vector<double> values;
    for (uint32_t k = 1; k <= 7; ++k) {
      Centres centres = find_centres(rows, 6, nullptr, k, 1);
      values.push_back(criterion.value(nullptr, centres));
      EXPECT_TRUE(std::isfinite(values.back())) << shape << k;
    }
    EXPECT_EQ(std::max_element(values.begin(), values.end()) - values.begin(), 3) << shape;
  }
}

TEST(Valleys, AreBetweenClustersAndNotInsideThem) {
  for (const char* shape : {"normal", "laplace"}) {
    const MadePoints two({.rows = 600, .dims = 6, .k = 2, .shape = shape}, 3),
        one({.rows = 600, .dims = 6, .k = 1, .shape = shape}, 3);
    std::vector<uint32_t> a, b;
    for (uint32_t i = 0; i < 600; ++i) (two.truth[i] == 0 ? a : b).push_back(i);
    EXPECT_TRUE(valley_between(placed(two), 6, a, b));
    const Placed rows = placed(one);
    a.clear();
    b.clear();
    for (uint32_t i = 0; i < 600; ++i) (rows.row(i)[2] < 1 ? a : b).push_back(i);
    EXPECT_FALSE(valley_between(rows, 6, a, b)) << shape;
  }
}

TEST(Refinement, RepairsAnyNumberOfCentres) {
  const MadePoints made({.rows = 2000, .dims = 8, .k = 5, .noise = 0.01}, 4);
  const Placed rows = placed(made);
  for (uint32_t k : {1u, 2u, 5u, 14u}) {
    Centres centres = find_centres(rows, 8, nullptr, k, 1);
    refine(rows, 8, nullptr, 1, centres);
    EXPECT_EQ(centres.size(), 5 * rows.size) << k;
  }
}

TEST(Axes, ResolveARowIntoWhatItHasInCommonAndTheRest) {
  const MadePoints made({.rows = 2000, .dims = 19, .k = 1, .together = 3}, 4);
  const Placed rows = placed(made);
  std::vector<float> centre(rows.size), spread;
  const auto found = principal_axes(rows.values, rows.size, 19, rows.finest, spread);
  ASSERT_EQ(found.size(), 1u);
  Axes axes;
  axes.most = 1;
  axes.add_cluster(rows.size);
  axes.counts[0] = 1;
  for (size_t j = 0; j < 19; ++j) {
    axes.onto[j] = found[0][j] / spread[j];
    axes.back[j] = found[0][j] * spread[j];
    EXPECT_NEAR(std::fabs(found[0][j]), 1 / std::sqrt(19.0), 0.02);
  }
  std::vector<float> parts(rows.size + kMostAxes);
  double whole = 0, rest = 0;
  for (uint32_t i = 0; i < rows.rows(); ++i) {
    axes.resolve(rows.row(i), centre.data(), 0, rows.size, parts.data());
    for (size_t j = 0; j < 19; ++j) {
      EXPECT_NEAR(parts[j] + parts[rows.size] * axes.back[j], rows.row(i)[j], 1e-4);
      whole += rows.row(i)[j] * rows.row(i)[j];
      rest += parts[j] * parts[j];
    }
  }
  EXPECT_NEAR(rest / whole, 0.1, 0.02);  // of 9 in common and 1 of its own
  EXPECT_TRUE(principal_axes(placed(MadePoints({.rows = 2000, .dims = 19, .k = 1}, 4)).values, rows.size, 19,
                             rows.finest, spread)
                  .empty());
}

TEST(Models, TravelAndRefuseWhatIsDamaged) {
  const MadePoints made({.rows = 500, .dims = 3, .k = 2, .together = 2}, 4);
  const Space space = make_space(made.points(), Normalisation::kSpread, 1);
  const Placed rows = place_all(space, made.points());
  const Centres centres = find_centres(rows, 3, nullptr, 2, 1);
  const Model model = make_model(space, rows, nullptr, centres, divide(rows, centres, nullptr));
  const auto bytes = encode(model);
  const auto read = decode(bytes, nullptr);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->centres, model.centres);
  EXPECT_EQ(read->limit, model.limit);
  ASSERT_GT(model.axes.most, 0u);
  EXPECT_EQ(read->axes.counts, model.axes.counts);
  EXPECT_EQ(read->axes.onto, model.axes.onto);
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decode({bytes.data(), length}, nullptr).ok()) << length;
}

}  // namespace
}  // namespace headrace::cluster
