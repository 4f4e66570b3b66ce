// Loops for wide vectors: to the bit what the plain ones have, for any number of rows and dimensions.
#include <gtest/gtest.h>

#include <limits>

#include "cluster/capek.h"
#include "cluster/made_points.h"
#include "cluster/model.h"
#include "cluster/quantile.h"
#include "cluster/random.h"

namespace headrace::cluster {
namespace {

TEST(Wide, DistancesAndTheNearestAreThoseOfOneRow) {
  for (uint32_t dims : {1u, 5u, 8u, 17u, 32u}) {
    const MadePoints made({.rows = 203, .dims = dims, .k = 3}, dims);
    const Placed rows = place_all(make_space(made.points(), Normalisation::kSpread, 1), made.points());
    std::vector<float> distance(rows.rows());
    distances_to(rows.row(7), rows.values.data(), rows.rows(), rows.size, distance.data());
    for (uint32_t i = 0; i < rows.rows(); ++i)
      EXPECT_EQ(distance[i], manhattan(rows.row(7), rows.row(i), rows.size)) << dims << " " << i;
    Centres centres(rows.values.begin(), rows.values.begin() + static_cast<ptrdiff_t>(9 * rows.size));
    std::copy_n(centres.begin(), rows.size, centres.begin() + static_cast<ptrdiff_t>(4 * rows.size));  // two the same
    for (Distance kind : {Distance{nullptr}, Distance{&euclidean}}) {
      std::vector<uint32_t> which(rows.rows());
      nearest_of_each(kind, rows.values.data(), rows.rows(), centres.data(), 9, rows.size, which.data(),
                      distance.data());
      for (uint32_t i = 0; i < rows.rows(); ++i) {
        float least = 0;
        EXPECT_EQ(which[i], nearest(kind, rows.row(i), centres.data(), 9, rows.size, &least));
        EXPECT_EQ(distance[i], least);
      }
    }
  }
}

TEST(Wide, ScoresAreTheSameWithAndWithoutTheWorstDimension) {
  for (const double together : {0.0, 3.0}) {
    const MadePoints made({.rows = 900, .dims = 19, .k = 3, .together = together}, 4);
    Space space = make_space(made.points(), Normalisation::kSpread, 1);
    const Placed rows = place_all(space, made.points());
    const Centres centres = find_centres(rows, 19, nullptr, 3, 1);
    const Model model = make_model(space, rows, nullptr, centres, divide(rows, centres, nullptr));
    EXPECT_EQ(model.axes.most > 0, together > 0);
    int outside = 0;
    for (uint32_t i = 0; i < rows.rows(); ++i) {
      uint32_t worst = 0;
      const float score = model.score(rows.row(i), i % 3);
      EXPECT_EQ(score, model.score(rows.row(i), i % 3, &worst));
      EXPECT_LT(worst, 19u);
      outside += score > 0;
    }
    EXPECT_GT(outside, 300);
  }
}

TEST(Wide, RowsArePlacedAsOneValueIs) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  Space space;
  const std::vector<double> values = {1.25, -3e299, 7, 1e9, -2.5, 0, 3};
  for (size_t j = 0; j < values.size(); ++j) {
    space.middle.push_back(static_cast<double>(j) / 3);
    space.weight.push_back(1.1);
  }
  std::vector<float> out(space.size());
  std::vector<double> raw(values.size());
  EXPECT_TRUE(space.place({values.data(), 1, 7, true}, 0, out.data(), raw.data()));
  EXPECT_EQ(raw, values);
  for (size_t j = 0; j < values.size(); ++j)
    EXPECT_EQ(out[j], static_cast<float>(std::clamp((values[j] - space.middle[j]) * 1.1, -kFarthest, kFarthest)));
  EXPECT_EQ(out[7], 0);
  for (double bad : {kInfinite, -kInfinite, std::nan(""), 2e300}) {
    for (size_t j = 0; j < values.size(); ++j) {
      std::vector<double> one = values;
      one[j] = bad;
      EXPECT_FALSE(space.place({one.data(), 1, 7, true}, 0, out.data(), raw.data())) << bad << " " << j;
      const std::vector<float> narrow(one.begin(), one.end());
      EXPECT_FALSE(space.place({narrow.data(), 1, 7, false}, 0, out.data(), raw.data()));
    }
  }
}

TEST(Select, HasTheValueThatSortingPutsThere) {
  Random random(3, 1);
  for (uint32_t count : {1u, 2u, 24u, 25u, 100u, 3000u}) {
    for (uint64_t different : {1u, 2u, 7u, 1000000u}) {
      std::vector<float> values(count);
      for (float& each : values) each = static_cast<float>(random.below(different));
      if (different == 7) std::sort(values.begin(), values.end());
      auto sorted = values;
      std::sort(sorted.begin(), sorted.end());
      for (size_t nth : {size_t{0}, size_t{count / 3}, size_t{count / 2}, size_t{count - 1}}) {
        auto copy = values;
        EXPECT_EQ(select(copy.data(), count, nth), sorted[nth]) << count << " " << different << " " << nth;
        std::sort(copy.begin(), copy.end());
        EXPECT_EQ(copy, sorted);
      }
    }
  }
}

}  // namespace
}  // namespace headrace::cluster
