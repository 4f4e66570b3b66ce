#include "workload/plan/combustion.h"

#include <gtest/gtest.h>

#include <map>

#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

using Strategy = CombustionSettings::Strategy;

constexpr CombustionSettings kSmall = {
    .per_node = 2, .patches = 3, .smallest = 16, .largest = 64, .checkpoints = 2, .ranks = 6, .seed = 7};

/// How often each byte of each file is touched in a phase.
std::map<uint32_t, std::vector<int>> touched(const Pattern& pattern, size_t phase, int ranks) {
  std::map<uint32_t, std::vector<int>> files;
  for (uint32_t file = 0; file < pattern.files(); ++file) files[file].resize(pattern.file(file).bytes);
  for (int rank = 0; rank < ranks; ++rank)
    for (const Operation& operation : plan_of(pattern, phase, rank))
      for (uint64_t i = 0; i < operation.bytes; ++i) ++files[operation.file].at(operation.offset + i);
  return files;
}

TEST(Combustion, EveryByteIsWrittenAndReadOnce) {
  for (const Strategy strategy : {Strategy::kFilePerNode, Strategy::kPrecreated, Strategy::kShared}) {
    CombustionSettings settings = kSmall;
    settings.strategy = strategy;
    const auto pattern = make_combustion(settings);
    ASSERT_TRUE(pattern.ok()) << pattern.message();
    EXPECT_EQ((*pattern)->files(), strategy == Strategy::kShared ? 2u : 6u);
    uint64_t bytes = 0;
    for (size_t phase = (*pattern)->phases().size() - 2; phase < (*pattern)->phases().size(); ++phase)
      for (const auto& [file, counts] : touched(**pattern, phase, settings.ranks)) {
        EXPECT_EQ(std::count(counts.begin(), counts.end(), 1), static_cast<ptrdiff_t>(counts.size()));
        bytes += counts.size();
      }
    EXPECT_EQ(bytes, 2 * (*pattern)->footprint());
  }
}

TEST(Combustion, PatchesAreUnevenAndWithinTheirBounds) {
  const auto pattern = make_combustion(kSmall);
  std::map<uint64_t, int> sizes;
  for (int rank = 0; rank < 6; ++rank)
    for (const Operation& operation : plan_of(**pattern, 0, rank))
      if (operation.verb == Verb::kWrite) ++sizes[operation.bytes];
  EXPECT_GT(sizes.size(), 2u);
  EXPECT_GE(sizes.begin()->first, 16u);
  EXPECT_LE(sizes.rbegin()->first, 64u);
}

TEST(Combustion, OneRankOfANodeWritesItsFile) {
  const auto pattern = make_combustion(kSmall);
  EXPECT_EQ(plan_of(**pattern, 0, 2).size(), 10u);
  EXPECT_TRUE(plan_of(**pattern, 0, 3).empty());
  EXPECT_EQ((*pattern)->file(1).owner, 2);
  EXPECT_EQ((*pattern)->file(1).name, "checkpoint.0.1");
}

TEST(Combustion, FilesThatAreThereAreOpened) {
  CombustionSettings settings = kSmall;
  settings.strategy = Strategy::kPrecreated;
  const auto pattern = make_combustion(settings);
  ASSERT_EQ((*pattern)->phases()[0].direction, Verb::kCreate);
  const auto creations = plan_of(**pattern, 0, 0), writes = plan_of(**pattern, 1, 0);
  EXPECT_EQ(creations.size(), 4u);
  EXPECT_EQ(creations[0].verb, Verb::kCreate);
  EXPECT_EQ(writes[0].verb, Verb::kOpenToWrite);
}

TEST(Combustion, CollectiveCallsAreEveryones) {
  CombustionSettings settings = kSmall;
  settings.strategy = Strategy::kShared;
  const auto pattern = make_combustion(settings);
  for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(plan_of(**pattern, 0, rank).size(), 10u);
  EXPECT_EQ(plan_of(**pattern, 0, 1)[1].bytes, 0u);
}

TEST(Combustion, WhatMakesNoSenseIsRefused) {
  for (const CombustionSettings& settings :
       {CombustionSettings{.per_node = 2, .ranks = 3}, CombustionSettings{.per_node = 0},
        CombustionSettings{.patches = 0}, CombustionSettings{.patches = 1 << 20}, CombustionSettings{.smallest = 0},
        CombustionSettings{.smallest = 9, .largest = 8}, CombustionSettings{.checkpoints = 0},
        CombustionSettings{.checkpoints = uint64_t{1} << 40}})
    EXPECT_EQ(make_combustion(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
