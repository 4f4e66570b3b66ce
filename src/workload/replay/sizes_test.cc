#include "workload/replay/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "workload/replay/figures.h"

namespace headrace::workload::replay {
namespace {

uint64_t sum(const std::vector<uint64_t>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0}); }

TEST(ReplaySizes, TakesTheCommonOnesFirst) {
  const auto sizes = make_sizes(
      {.calls = 5, .bytes = 3 * 4096 + 100 + 30, .buckets = {{12, 3}, {7, 1}, {5, 1}}, .common = {{4096, 3}}});
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), 4096u), 3);
  EXPECT_EQ(sum(sizes), 3u * 4096 + 130);
}

TEST(ReplaySizes, HasTheMeanWhereNothingElseIsKnown) {
  EXPECT_EQ(make_sizes({.calls = 4, .bytes = 40}), (std::vector<uint64_t>{10, 10, 10, 10}));
  EXPECT_EQ(sum(make_sizes({.calls = 3, .bytes = 100})), 100u);
  EXPECT_TRUE(make_sizes({}).empty());
}

TEST(ReplaySizes, AddUpAndStayInTheirBuckets) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    KnownSizes known;
    for (uint64_t i = 0, calls = random() % 50; i < calls; ++i) {
      const uint64_t size = random() >> (random() % 40 + 24);
      ++known.calls;
      known.bytes += size;
      ++known.buckets[size_bucket(size)];
      if (random() % 3 == 0) ++known.common[size];
    }
    const auto sizes = make_sizes(known);
    EXPECT_EQ(sizes.size(), known.calls);
    EXPECT_EQ(sum(sizes), known.bytes);
    std::map<uint64_t, uint64_t> buckets;
    for (const uint64_t size : sizes) ++buckets[size_bucket(size)];
    EXPECT_EQ(buckets, known.buckets);
  }
}

TEST(ReplaySizes, WhateverALogSaysThereAreAsManyAsCalls) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    KnownSizes known = {.calls = random() % 30, .bytes = random() >> (random() % 64)};
    for (int i = 0; i < 4; ++i) known.buckets[random() % 65] = random() >> (random() % 64);
    for (int i = 0; i < 4; ++i) known.common[random() >> (random() % 64)] = random() >> (random() % 64);
    EXPECT_EQ(make_sizes(known).size(), known.calls);
  }
}

}  // namespace
}  // namespace headrace::workload::replay
