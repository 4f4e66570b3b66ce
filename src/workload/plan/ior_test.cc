#include "workload/plan/ior.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "workload/plan/plan_of.h"
namespace headrace::workload {
namespace {

std::unique_ptr<Pattern> made(const IorSettings& settings) {
  auto pattern = make_ior(settings);
  EXPECT_TRUE(pattern.ok()) << pattern.message();
  return std::move(*pattern);
}

/// {file: {offset: bytes}} of all transfers of a phase.
std::map<uint32_t, std::map<uint64_t, uint64_t>> transfers(const Pattern& pattern, size_t phase, int ranks) {
  std::map<uint32_t, std::map<uint64_t, uint64_t>> found;
  for (int rank = 0; rank < ranks; ++rank)
    for (const Operation& operation : plan_of(pattern, phase, rank))
      if (operation.bytes > 0) {
        EXPECT_TRUE(found[operation.file].emplace(operation.offset, operation.bytes).second) << "written twice";
      }
  return found;
}

TEST(Ior, RanksTakeTurnsInSegments) {
  const auto pattern = made({.block = 8, .transfer = 4, .segments = 2, .ranks = 3});
  std::vector<uint64_t> offsets;
  for (const Operation& operation : plan_of(*pattern, 0, 1))
    if (operation.verb == Verb::kWrite) offsets.push_back(operation.offset);
  EXPECT_EQ(offsets, (std::vector<uint64_t>{8, 12, 32, 36}));
  EXPECT_EQ(pattern->footprint(), 48u);
  EXPECT_TRUE(pattern->file(0).shared);
}

TEST(Ior, AFileForEachProcess) {
  const auto pattern = made({.block = 8, .transfer = 4, .segments = 2, .per_process = true, .ranks = 3});
  EXPECT_EQ(pattern->files(), 3u);
  EXPECT_EQ(pattern->file(2).owner, 2);
  for (const auto& [file, found] : transfers(*pattern, 0, 3))
    EXPECT_EQ(found, (std::map<uint64_t, uint64_t>{{0, 4}, {4, 4}, {8, 4}, {12, 4}}));
}

TEST(Ior, ReorderedReadersReadWhatOthersWrote) {
  const auto pattern = made({.block = 8, .transfer = 8, .reorder = 1, .ranks = 3});
  EXPECT_EQ(plan_of(*pattern, 1, 0)[1].offset, 8u);
  EXPECT_EQ(plan_of(*pattern, 1, 2)[1].offset, 0u);
}

TEST(Ior, EveryByteIsWrittenOnceAndReadOnce) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    IorSettings settings;
    settings.transfer = 1 + random() % 9;
    settings.block = settings.transfer * (1 + random() % 5);
    settings.segments = 1 + random() % 4;
    settings.ranks = 1 + static_cast<int>(random() % 5);
    settings.reorder = static_cast<int>(random() % static_cast<unsigned>(settings.ranks));
    settings.per_process = random() % 2 != 0;
    settings.random = random() % 2 != 0;
    settings.seed = random();
    const auto pattern = made(settings);
    const auto written = transfers(*pattern, 0, settings.ranks);
    EXPECT_EQ(written, transfers(*pattern, 1, settings.ranks));
    EXPECT_EQ(written.size(), pattern->files());
    for (const auto& [file, found] : written) {
      uint64_t end = 0;
      for (const auto& [offset, bytes] : found) {
        EXPECT_EQ(offset, end);
        end += bytes;
      }
      EXPECT_EQ(end, pattern->file(file).bytes);
    }
  }
}

TEST(Ior, OneSeedGivesOnePlan) {
  const IorSettings settings{.block = 64, .transfer = 4, .random = true, .ranks = 2, .seed = 9};
  IorSettings other = settings;
  other.seed = 10;
  const auto first = plan_of(*made(settings), 0, 1), again = plan_of(*made(settings), 0, 1),
             differs = plan_of(*made(other), 0, 1);
  const auto offsets = [](const std::vector<Operation>& plan) {
    std::vector<uint64_t> all;
    for (const Operation& operation : plan) all.push_back(operation.offset);
    return all;
  };
  EXPECT_EQ(offsets(first), offsets(again));
  EXPECT_NE(offsets(first), offsets(differs));
}

TEST(Ior, WhatMakesNoSenseIsRefused) {
  for (const IorSettings& settings :
       {IorSettings{.block = 10, .transfer = 4}, IorSettings{.transfer = 0}, IorSettings{.segments = 0},
        IorSettings{.block = uint64_t{1} << 62, .transfer = 1, .segments = 4}, IorSettings{.reorder = 2, .ranks = 2},
        IorSettings{.write = false, .read = false}})
    EXPECT_EQ(make_ior(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
