#include "workload/plan/h5perf.h"

#include <gtest/gtest.h>

#include <random>

#include "workload/plan/box.h"
#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

TEST(H5perf, BoxesCoverTheArrayOnce) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    H5perfSettings settings;
    settings.size.clear();
    settings.access.clear();
    for (unsigned i = 0; i <= round % kMostDimensions; ++i) {
      settings.access.push_back(1 + random() % 4);
      settings.size.push_back(settings.access[i] * (1 + random() % 4));
    }
    const auto pattern = make_h5perf(settings);
    ASSERT_TRUE(pattern.ok()) << pattern.message();
    const PlannedFile file = (*pattern)->file(0);
    std::vector<int> touched(file.bytes);
    for (const Operation& operation : plan_of(**pattern, 0, 0)) {
      if (operation.bytes == 0) continue;
      uint64_t number = 0;
      (void)for_rows(file.shape, operation, [&](uint64_t offset, uint64_t at, uint64_t bytes) -> base::Status {
        EXPECT_EQ(at, number);
        EXPECT_EQ(offset_of(file.shape, operation, at), offset);
        for (uint64_t i = 0; i < bytes; ++i) ++touched[offset + i];
        number += bytes;
        return {};
      });
      EXPECT_EQ(number, operation.bytes);
    }
    EXPECT_EQ(std::count(touched.begin(), touched.end(), 1), static_cast<ptrdiff_t>(file.bytes));
  }
}

TEST(H5perf, RanksHaveFilesOfTheirOwn) {
  const auto pattern = make_h5perf({.size = {8}, .access = {4}, .ranks = 3});
  EXPECT_EQ((*pattern)->files(), 3u);
  EXPECT_EQ((*pattern)->footprint(), 24u);
  EXPECT_EQ(plan_of(**pattern, 1, 2)[1].file, 2u);
  EXPECT_EQ(plan_of(**pattern, 1, 2)[1].verb, Verb::kRead);
}

TEST(H5perf, RanksShareAFile) {
  const auto pattern = make_h5perf({.size = {4, 6}, .access = {2, 3}, .shared = true, .ranks = 3});
  EXPECT_EQ((*pattern)->files(), 1u);
  const PlannedFile file = (*pattern)->file(0);
  EXPECT_TRUE(file.shared);
  EXPECT_EQ(file.shape, (std::vector<uint64_t>{12, 6}));
  std::vector<int> touched(file.bytes);
  for (int rank = 0; rank < 3; ++rank)
    for (const Operation& operation : plan_of(**pattern, 0, rank))
      if (operation.bytes > 0)
        (void)for_rows(file.shape, operation, [&](uint64_t offset, uint64_t, uint64_t bytes) -> base::Status {
          for (uint64_t i = 0; i < bytes; ++i) ++touched[offset + i];
          return {};
        });
  EXPECT_EQ(std::count(touched.begin(), touched.end(), 1), 72);
}

TEST(H5perf, WhatMakesNoSenseIsRefused) {
  for (const H5perfSettings& settings :
       {H5perfSettings{.size = {10}, .access = {4}}, H5perfSettings{.size = {8, 8}, .access = {4}},
        H5perfSettings{.size = {0}, .access = {0}}, H5perfSettings{.size = {8}, .access = {16}},
        H5perfSettings{.size = {8}, .access = {4}, .chunk = {3}},
        H5perfSettings{.size = {1, 1, 1, 1}, .access = {1, 1, 1, 1}},
        H5perfSettings{.size = {uint64_t{1} << 40, uint64_t{1} << 40}, .access = {1, 1}}})
    EXPECT_EQ(make_h5perf(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
