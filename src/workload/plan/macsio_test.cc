#include "workload/plan/macsio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

std::unique_ptr<Pattern> made(const MacsioSettings& settings) {
  auto pattern = make_macsio(settings);
  EXPECT_TRUE(pattern.ok()) << pattern.message();
  return std::move(*pattern);
}

TEST(Macsio, EveryByteOfEveryFileIsWrittenOnceAndReadOnce) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    MacsioSettings settings;
    settings.ranks = static_cast<int>(1 + random() % 9);
    settings.files = 1 + random() % static_cast<unsigned>(settings.ranks);
    settings.part = 1 + random() % 3;
    settings.parts = 1 + static_cast<double>(random() % 30) / 10;
    settings.variables = 1 + random() % 3;
    settings.seed = random();
    const auto pattern = made(settings);
    for (size_t phase = 0; phase < 2; ++phase) {
      std::vector<std::vector<int>> touched;
      for (uint32_t i = 0; i < pattern->files(); ++i) touched.emplace_back(pattern->file(i).bytes);
      for (int rank = 0; rank < settings.ranks; ++rank)
        for (const Operation& operation : plan_of(*pattern, phase, rank)) {
          if (operation.bytes == 0) continue;
          const PlannedObject object = pattern->object(operation.file, operation.object);
          EXPECT_EQ(object.offset, operation.offset);
          EXPECT_EQ(object.bytes, operation.bytes);
          for (uint64_t i = 0; i < operation.bytes; ++i) ++touched[operation.file].at(operation.offset + i);
        }
      for (const std::vector<int>& file : touched)
        EXPECT_EQ(std::count(file.begin(), file.end(), 1), static_cast<ptrdiff_t>(file.size()));
    }
  }
}

TEST(Macsio, PartsOfRanksAreAsManyAsTheAverageSays) {
  for (const uint64_t seed : {1, 2, 3}) {
    const auto pattern = made({.files = 3, .part = 1, .parts = 3.5, .variables = 1, .ranks = 8, .seed = seed});
    int with_more = 0;
    for (int rank = 0; rank < 8; ++rank) {
      int parts = 0;
      for (const Operation& operation : plan_of(*pattern, 0, rank)) parts += operation.verb == Verb::kMakeGroup ? 1 : 0;
      EXPECT_TRUE(parts == 3 || parts == 4);
      with_more += parts == 4 ? 1 : 0;
    }
    EXPECT_EQ(with_more, 4);
  }
}

TEST(Macsio, RanksOfAFileTakeTurns) {
  const auto pattern = made({.files = 2, .ranks = 5});
  const Verb first[] = {Verb::kCreate, Verb::kReceive, Verb::kReceive, Verb::kCreate, Verb::kReceive};
  const Verb last[] = {Verb::kSend, Verb::kSend, Verb::kClose, Verb::kSend, Verb::kClose};
  for (int rank = 0; rank < 5; ++rank) {
    const std::vector<Operation> plan = plan_of(*pattern, 0, rank);
    const auto at = static_cast<size_t>(rank);
    EXPECT_EQ(plan.front().verb, first[at]);
    EXPECT_EQ(plan.back().verb, last[at]);
    EXPECT_EQ(plan.front().file, rank < 3 ? 0u : 1u);
    if (plan.front().verb == Verb::kReceive) {
      EXPECT_EQ(plan.front().peer, rank - 1);
      EXPECT_EQ(plan[1].verb, Verb::kOpenToWrite);
    }
    EXPECT_EQ(plan.back().peer, plan.back().verb == Verb::kSend ? rank + 1 : -1);
  }
  EXPECT_EQ(pattern->file(1).owner, 3);
}

TEST(Macsio, NamesAreOfOneObjectEach) {
  const auto pattern = made({.files = 2, .parts = 2, .variables = 3, .ranks = 4});
  std::set<std::string> names;
  for (uint32_t file = 0; file < 2; ++file)
    for (uint32_t i = 0; i < 16; ++i) {
      const PlannedObject object = pattern->object(file, i);
      EXPECT_TRUE(names.insert(object.group + "/" + object.name).second);
      EXPECT_EQ(object.group.empty(), i % 4 == 0);
    }
  EXPECT_EQ(pattern->object(1, 5).group, "domain_0000005");
}

TEST(Macsio, WhatMakesNoSenseIsRefused) {
  for (const MacsioSettings& settings :
       {MacsioSettings{.files = 0}, MacsioSettings{.files = 2}, MacsioSettings{.part = 0}, MacsioSettings{.parts = 0},
        MacsioSettings{.parts = -1}, MacsioSettings{.parts = std::nan("")}, MacsioSettings{.parts = 1e300},
        MacsioSettings{.variables = 0}, MacsioSettings{.variables = UINT64_MAX}, MacsioSettings{.part = 4, .chunk = 5},
        MacsioSettings{.part = uint64_t{1} << 62}, MacsioSettings{.write = false, .read = false}})
    EXPECT_EQ(make_macsio(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
