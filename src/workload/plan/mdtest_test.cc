#include "workload/plan/mdtest.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

std::string parent(const std::string& path) {
  return path.find('/') == path.npos ? "" : path.substr(0, path.rfind('/'));
}

/// Carries out the names of all phases, and expects each to be possible.
void perform(const Pattern& pattern, int ranks) {
  std::set<std::string> there = {""};
  for (size_t phase = 0; phase < pattern.phases().size(); ++phase)
    for (int rank = 0; rank < ranks; ++rank)
      for (const Operation& operation : plan_of(pattern, phase, rank)) {
        const PlannedFile file = pattern.file(operation.file);
        if (operation.verb == Verb::kMakeDirectory || operation.verb == Verb::kCreate) {
          EXPECT_EQ(there.count(parent(file.name)), 1u) << file.name;
          EXPECT_TRUE(there.insert(file.name).second) << file.name;
          EXPECT_EQ(file.directory, operation.verb == Verb::kMakeDirectory);
        } else if (operation.verb == Verb::kRemove || operation.verb == Verb::kRemoveDirectory) {
          EXPECT_EQ(there.erase(file.name), 1u) << file.name;
          const auto next = there.lower_bound(file.name + "/");
          EXPECT_TRUE(next == there.end() || !next->starts_with(file.name + "/")) << file.name << " is not empty";
        } else {
          EXPECT_EQ(there.count(file.name), 1u) << file.name;
        }
      }
  EXPECT_EQ(there.size(), 1u) << "all is removed by the plan";
}

TEST(Mdtest, WhatIsMadeIsThereAndIsRemoved) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    MdtestSettings settings;
    settings.ranks = 1 + static_cast<int>(random() % 4);
    settings.files = random() % 20;
    settings.directories = 1 + random() % 10;
    settings.per_directory = random() % 3;
    settings.depth = random() % 4;
    settings.branch = 1 + random() % 3;
    settings.unique = random() % 2 == 0;
    settings.bytes = random() % 2 * 100;
    settings.shift = static_cast<int>(random() % static_cast<unsigned>(settings.ranks));
    const auto pattern = make_mdtest(settings);
    ASSERT_TRUE(pattern.ok()) << pattern.message();
    perform(**pattern, settings.ranks);
  }
}

TEST(Mdtest, ADirectoryHasAHigherNumberThanItsParent) {
  const auto pattern = make_mdtest({.files = 5, .depth = 3, .branch = 2, .unique = true, .ranks = 2});
  std::set<std::string> seen = {""};
  for (uint32_t number = 0; number < (*pattern)->files(); ++number) {
    EXPECT_EQ(seen.count(parent((*pattern)->file(number).name)), 1u);
    seen.insert((*pattern)->file(number).name);
  }
  EXPECT_EQ(seen.size(), 1 + 2 * (15 + 5 + 5u));
}

TEST(Mdtest, ShiftedRanksLookAtWhatOthersMade) {
  const auto pattern = make_mdtest({.files = 2, .directories = 0, .shift = 1, .ranks = 3});
  ASSERT_EQ((*pattern)->phases()[2].name, "file_stat");
  EXPECT_EQ((*pattern)->file(plan_of(**pattern, 2, 2)[0].file).owner, 0);
  EXPECT_EQ((*pattern)->file(plan_of(**pattern, 1, 2)[0].file).owner, 2);
}

TEST(Mdtest, WhatMakesNoSenseIsRefused) {
  for (const MdtestSettings& settings :
       {MdtestSettings{.branch = 0}, MdtestSettings{.depth = 65}, MdtestSettings{.depth = 20, .branch = 3},
        MdtestSettings{.files = 0}, MdtestSettings{.files = uint64_t{1} << 33},
        MdtestSettings{.files = 1 << 30, .ranks = 4}, MdtestSettings{.shift = 1},
        MdtestSettings{.bytes = uint64_t{1} << 60}})
    EXPECT_EQ(make_mdtest(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
