#include "workload/plan/flash.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

TEST(Flash, RanksCoverEveryFileOnce) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    FlashSettings s;
    s.ranks = 1 + static_cast<int>(random() % 7);
    s.split = 1 + static_cast<int>(random() % static_cast<unsigned>(s.ranks));
    s.blocks = 1 + random() % 3;
    s.cells.resize(1 + random() % 3);
    for (uint64_t& size : s.cells) size = 1 + random() % 4;
    s.variables = 1 + random() % 12;
    s.checkpoints = random() % 3;
    s.plots = 1 + random() % 2;
    s.corners = random() % 2 == 0;
    const auto pattern = make_flash(s);
    ASSERT_TRUE(pattern.ok()) << pattern.message();
    std::map<uint32_t, std::vector<int>> touched;
    uint64_t footprint = 0;
    for (uint32_t number = 0; number < (*pattern)->files(); ++number) {
      touched[number].resize((*pattern)->file(number).bytes);
      footprint += (*pattern)->file(number).bytes;
    }
    EXPECT_EQ(footprint, (*pattern)->footprint());
    for (int rank = 0; rank < s.ranks; ++rank) {
      const size_t phases = s.checkpoints > 0 ? 2 : 1;
      for (size_t phase = 0; phase < phases; ++phase)
        for (const Operation& operation : plan_of(**pattern, phase, rank)) {
          const PlannedFile file = (*pattern)->file(operation.file);
          const int count = file.ranks == 0 ? s.ranks : file.ranks;
          EXPECT_TRUE(rank >= file.first && rank < file.first + count);
          EXPECT_LE(operation.bytes, (*pattern)->largest_transfer());
          if (operation.bytes == 0) continue;
          const PlannedArray& array = file.arrays[operation.object];
          EXPECT_EQ((operation.offset - array.offset) % array.step(), 0u);
          for (uint64_t i = 0; i < operation.bytes; ++i) ++touched[operation.file][operation.offset + i];
        }
    }
    for (const auto& [number, bytes] : touched)
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 1), static_cast<ptrdiff_t>(bytes.size()));
  }
}

TEST(Flash, ARestartReadsTheLastCheckpoint) {
  const auto pattern = make_flash({.blocks = 2, .checkpoints = 3, .plots = 1, .ranks = 2});
  ASSERT_EQ((*pattern)->phases().size(), 3u);
  for (const Operation& operation : plan_of(**pattern, 2, 1)) EXPECT_EQ(operation.file, 2u);
  EXPECT_EQ((*pattern)->file(2).name, "chk_2");
  EXPECT_EQ((*pattern)->file(3).name, "plt_0");
}

TEST(Flash, ArraysAreThoseOfFlash) {
  const auto pattern = make_flash({.blocks = 2, .cells = {4, 5, 6}, .corners = true, .ranks = 3});
  const PlannedFile checkpoint = (*pattern)->file(0), plot = (*pattern)->file(1);
  EXPECT_EQ(checkpoint.arrays.size(), 30u);
  EXPECT_EQ(plot.arrays.size(), 10u);
  EXPECT_EQ(checkpoint.arrays[2].shape, (std::vector<uint64_t>{6, 15}));
  EXPECT_EQ(checkpoint.arrays[6].name, "dens");
  EXPECT_EQ(checkpoint.arrays[6].shape, (std::vector<uint64_t>{6, 4, 5, 6}));
  EXPECT_EQ(checkpoint.arrays[6].guard, 4u);
  EXPECT_EQ((*pattern)->memory(), 2u * (2 * 4 * 5 * 6 * 8 + 12 * 13 * 14 * 8));
  EXPECT_EQ(plot.arrays[6].shape, (std::vector<uint64_t>{6, 5, 6, 7}));
  EXPECT_EQ(plot.arrays[6].element, Element::kFloat);
}

TEST(Flash, WhatMakesNoSenseIsRefused) {
  for (const FlashSettings& settings :
       {FlashSettings{.blocks = 0}, FlashSettings{.cells = {}}, FlashSettings{.cells = {8, 0, 8}},
        FlashSettings{.cells = {8, 8, 8, 8}}, FlashSettings{.variables = 0}, FlashSettings{.split = 0},
        FlashSettings{.split = 3, .ranks = 2}, FlashSettings{.checkpoints = 0, .plots = 0},
        FlashSettings{.blocks = 100'000, .cells = {64, 64, 64}}, FlashSettings{.guard = 1000},
        FlashSettings{.checkpoints = UINT64_MAX, .plots = 2}})
    EXPECT_EQ(make_flash(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
