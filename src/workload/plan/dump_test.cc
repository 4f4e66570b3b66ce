#include "workload/plan/dump.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "workload/plan/box.h"
#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

DumpSettings small(DumpKind kind, DumpScheme scheme) {
  DumpSettings settings;
  settings.kind = kind;
  settings.scheme = scheme;
  settings.cells = {4, 2, 8};
  settings.planes = 3;
  settings.variables = 2;
  settings.groups.size = 4;
  settings.ranks = 12;
  return settings;
}

using Touched = std::map<uint32_t, std::vector<int>>;

void touch(const Pattern& pattern, const Operation& operation, Touched& files) {
  if (operation.bytes == 0) return;
  const PlannedFile file = pattern.file(operation.file);
  auto& counts = files[operation.file];
  counts.resize(file.bytes);
  (void)for_rows(file.shape, operation, [&](uint64_t offset, uint64_t, uint64_t bytes) -> base::Status {
    for (uint64_t i = 0; i < bytes; ++i) ++counts.at(offset + i);
    return {};
  });
}

/// Every message that is sent is received, in the same order, and then written.
void check_messages(const Pattern& pattern, size_t phase, int ranks) {
  std::map<std::pair<int, int>, std::vector<Operation>> sent, received;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto plan = plan_of(pattern, phase, rank);
    for (size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].verb == Verb::kSend) sent[{rank, plan[i].peer}].push_back(plan[i]);
      EXPECT_EQ(plan[i].received, i > 0 && plan[i - 1].verb == Verb::kReceive);
      if (plan[i].verb != Verb::kReceive) continue;
      received[{plan[i].peer, rank}].push_back(plan[i]);
      ASSERT_LT(i + 1, plan.size());
      EXPECT_EQ(plan[i + 1].verb, Verb::kWrite);
      EXPECT_EQ(plan[i + 1].offset, plan[i].offset);
    }
  }
  ASSERT_EQ(sent.size(), received.size());
  for (const auto& [who, operations] : sent) {
    ASSERT_EQ(operations.size(), received[who].size());
    for (size_t i = 0; i < operations.size(); ++i) {
      EXPECT_EQ(operations[i].offset, received[who][i].offset);
      EXPECT_EQ(operations[i].bytes, received[who][i].bytes);
      EXPECT_EQ(operations[i].file, received[who][i].file);
    }
  }
}

/// But for what is in front of whole planes, no byte of a file is left out, and none is there twice.
void check_bytes(const Pattern& pattern, size_t phase, int ranks, uint64_t holes) {
  Touched files;
  uint64_t bytes = 0, once = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (const Operation& operation : plan_of(pattern, phase, rank))
      if (operation.verb == Verb::kWrite || operation.verb == Verb::kRead) {
        EXPECT_LE(operation.bytes, pattern.largest_transfer());
        touch(pattern, operation, files);
      }
  for (const auto& [file, counts] : files) {
    bytes += counts.size();
    once += static_cast<uint64_t>(std::count(counts.begin(), counts.end(), 1));
  }
  EXPECT_EQ(once + holes, bytes);
  EXPECT_EQ(bytes, pattern.footprint());
}

TEST(Dump, MessagesMeetAndBytesAreWrittenAndReadOnce) {
  for (const DumpKind kind : {DumpKind::kSpec, DumpKind::kVisualization, DumpKind::kRestart})
    for (const DumpScheme scheme :
         {DumpScheme::kOneFile, DumpScheme::kMultiMessage, DumpScheme::kSingleMessage, DumpScheme::kFilePerProcess})
      for (const bool interleaved : {false, true}) {
        DumpSettings settings = small(kind, scheme);
        settings.interleaved = interleaved;
        const auto pattern = make_dump(settings);
        if (scheme == DumpScheme::kOneFile && kind != DumpKind::kSpec) {
          EXPECT_EQ(pattern.code(), base::Code::kInvalid);
          continue;
        }
        ASSERT_TRUE(pattern.ok()) << pattern.message();
        check_messages(**pattern, 0, settings.ranks);
        // Planes begin at a whole row: 64 bytes of rows of 64 here hold the header, and six entries are six rows.
        check_bytes(**pattern, 0, settings.ranks, 0);
        check_bytes(**pattern, 1, settings.ranks, 0);
      }
}

TEST(Dump, PlanesMeetSomeChunksAndOthersNot) {
  DumpSettings settings = small(DumpKind::kSpec, DumpScheme::kFilePerProcess);
  settings.chunks = {1, 1, 12};
  settings.planes = 4;  // of the first and last rank, and of two between
  const auto pattern = make_dump(settings);
  ASSERT_TRUE(pattern.ok()) << pattern.message();
  int with = 0;
  for (int rank = 0; rank < 12; ++rank) {
    const bool has = (*pattern)->file(static_cast<uint32_t>(rank)).bytes > 0;
    with += has ? 1 : 0;
    EXPECT_EQ(plan_of(**pattern, 0, rank).empty(), !has);
  }
  EXPECT_EQ(with, 4);
  EXPECT_GT((*pattern)->file(11).bytes, 0u);
}

TEST(Dump, AMemberSendsOneMessageOrOneForEachVariable) {
  const auto sends = [](DumpScheme scheme) {
    const auto pattern = make_dump(small(DumpKind::kRestart, scheme));
    return plan_of(**pattern, 0, 1).size();
  };
  EXPECT_EQ(sends(DumpScheme::kSingleMessage), 1u);
  EXPECT_EQ(sends(DumpScheme::kMultiMessage), 2u);
  const auto pattern = make_dump(small(DumpKind::kRestart, DumpScheme::kFilePerProcess));
  EXPECT_EQ((*pattern)->files(), 12u);
}

TEST(Dump, CompressionLeavesAShareOfTheBytes) {
  DumpSettings settings = small(DumpKind::kVisualization, DumpScheme::kMultiMessage);
  const uint64_t quarter = plan_of(**make_dump(settings), 0, 1)[0].bytes;
  settings.kind = DumpKind::kRestart;
  EXPECT_EQ(quarter * 4, plan_of(**make_dump(settings), 0, 1)[0].bytes);
}

TEST(Dump, AnInterleavedTableIsWrittenInTurnsWithTheData) {
  DumpSettings settings = small(DumpKind::kRestart, DumpScheme::kFilePerProcess);
  settings.interleaved = true;
  const auto plan = plan_of(**make_dump(settings), 0, 3);
  ASSERT_EQ(plan.size(), 7u);
  EXPECT_GT(plan[3].offset, plan[4].offset) << "back to the table behind the first variable";
}

TEST(Dump, UniformGroupsLoadIoNodesEvenly) {
  DumpSettings settings = small(DumpKind::kRestart, DumpScheme::kSingleMessage);
  settings.ranks = 16;
  for (int rank = 0; rank < 16; ++rank)
    settings.psets += std::to_string(rank) + " ion" + std::to_string(rank % 4) + "\n";
  const auto most = [&](Grouping grouping) {
    settings.groups.grouping = grouping;
    uint64_t bytes = 0;
    for (const IoNodeLoad& load : io_node_loads(settings)) bytes = std::max(bytes, load.bytes);
    return bytes;
  };
  const uint64_t all = (*make_dump(settings))->footprint();
  EXPECT_EQ(most(Grouping::kContiguous), all);
  EXPECT_EQ(most(Grouping::kUniform), all / 4);
  EXPECT_EQ(most(Grouping::kTopologyAware), all / 4);
}

TEST(Dump, WhatMakesNoSenseIsRefused) {
  const DumpSettings good = small(DumpKind::kSpec, DumpScheme::kSingleMessage);
  ASSERT_TRUE(make_dump(good).ok());
  std::vector<DumpSettings> bad(13, good);
  bad[0].chunks = {5, 1, 2};
  bad[1].chunks = {12};
  bad[2].cells = {0, 1, 1};
  bad[3].planes = 1 << 20;
  bad[4].variables = 0;
  bad[5].dumps = 0;
  bad[6].cells = {uint64_t{1} << 40, uint64_t{1} << 40, 1};
  bad[7].chunks = {uint64_t{1} << 32, uint64_t{1} << 32, 12};
  bad[8].psets = "0 ion\n";
  bad[10].dumps = 10'001;
  bad[11].cells = {1, 1, 1 << 20};
  bad[11].planes = 1 << 20;
  bad[12].variables = 1 << 20;
  bad[9].groups.grouping = Grouping::kTopologyAware;
  for (const DumpSettings& settings : bad) EXPECT_EQ(make_dump(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
