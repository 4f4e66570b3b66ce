#include "workload/plan/io_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headrace::workload {
namespace {

/// Rank r is served by I/O node r mod `nodes`: as where ranks are laid over a torus.
Psets in_turns(int ranks, int nodes) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) text += std::to_string(rank) + " n" + std::to_string(rank % nodes) + "\n";
  return std::move(*read_psets(text, ranks));
}

std::vector<uint64_t> leaders_of_nodes(const IoGroups& groups, const Psets& psets) {
  std::vector<uint64_t> leaders(psets.names.size());
  for (const int leader : groups.leader) ++leaders[psets.node[static_cast<size_t>(leader)]];
  return leaders;
}

TEST(IoGroups, ContiguousGroupsLeaveTheRestToTheLast) {
  const auto groups = make_groups({.size = 4, .ranks = 10}, {});
  EXPECT_EQ(groups->leader, (std::vector<int>{0, 4, 8}));
  EXPECT_EQ(groups->members[2], (std::vector<int>{8, 9}));
}

TEST(IoGroups, UniformGroupsAreEven) {
  const auto groups = make_groups({.grouping = Grouping::kUniform, .size = 4, .ranks = 10}, {});
  EXPECT_EQ(groups->leader, (std::vector<int>{0, 3, 6}));
}

TEST(IoGroups, UniformLeadersAreSpreadOverIoNodes) {
  const Psets psets = in_turns(16, 4);
  const auto contiguous = make_groups({.size = 4, .ranks = 16}, psets);
  const auto uniform = make_groups({.grouping = Grouping::kUniform, .size = 4, .ranks = 16}, psets);
  EXPECT_EQ(leaders_of_nodes(*contiguous, psets), (std::vector<uint64_t>{4, 0, 0, 0}));
  EXPECT_EQ(leaders_of_nodes(*uniform, psets), (std::vector<uint64_t>{1, 1, 1, 1}));
}

TEST(IoGroups, TopologyAwareGroupsStayWithTheirIoNode) {
  const Psets psets = in_turns(24, 3);
  const auto groups = make_groups({.grouping = Grouping::kTopologyAware, .size = 5, .ranks = 24}, psets);
  ASSERT_TRUE(groups.ok()) << groups.message();
  EXPECT_EQ(leaders_of_nodes(*groups, psets), (std::vector<uint64_t>{2, 2, 2}));
  for (const auto& members : groups->members)
    for (const int member : members) EXPECT_EQ(member % 3, members[0] % 3);
}

TEST(IoGroups, EveryRankIsInOneGroupWithALeaderOfIt) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    GroupSettings settings;
    settings.grouping = static_cast<Grouping>(random() % 3);
    settings.leader = static_cast<Choice>(random() % 3);
    settings.ranks = 1 + static_cast<int>(random() % 40);
    settings.size = 1 + static_cast<int>(random() % 10);
    settings.seed = random();
    const Psets psets = in_turns(settings.ranks, std::min(settings.ranks, 1 + static_cast<int>(random() % 5)));
    const auto groups = make_groups(settings, psets);
    if (!groups.ok()) continue;  // an I/O node with fewer ranks than another has groups
    std::vector<int> seen(static_cast<size_t>(settings.ranks));
    for (size_t group = 0; group < groups->members.size(); ++group) {
      const auto& members = groups->members[group];
      EXPECT_LE(members.size(), static_cast<size_t>(settings.size));
      EXPECT_EQ(std::count(members.begin(), members.end(), groups->leader[group]), 1);
      for (const int member : members) {
        ++seen[static_cast<size_t>(member)];
        EXPECT_EQ(groups->group[static_cast<size_t>(member)], group);
      }
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), settings.ranks);
  }
}

TEST(IoGroups, WhatCannotBeIsRefused) {
  EXPECT_EQ(make_groups({.grouping = Grouping::kTopologyAware}, {}).code(), base::Code::kInvalid);
  EXPECT_EQ(make_groups({.size = 0}, {}).code(), base::Code::kInvalid);
  const auto psets = read_psets("0-6 a\n7 b\n", 8);
  EXPECT_EQ(make_groups({.grouping = Grouping::kTopologyAware, .size = 2, .ranks = 8}, *psets).code(),
            base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
