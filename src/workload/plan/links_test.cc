#include "workload/plan/links.h"

#include <gtest/gtest.h>

#include <set>

#include "workload/plan/plan_of.h"

namespace headrace::workload {
namespace {

constexpr LinksSettings kSmallLinks{.groups = 3, .datasets = 4, .links = 2, .size = 10, .chunk = 5, .ranks = 2};

std::unique_ptr<Pattern> made() { return std::move(*make_links(kSmallLinks)); }

TEST(Links, EveryObjectIsMadeOnceAndEveryLinkLeadsToOneThatIsThere) {
  const auto pattern = made();
  std::set<std::string> there;
  uint64_t bytes = 0;
  for (const Operation& operation : plan_of(*pattern, 0, 1)) {
    EXPECT_EQ(operation.file, 1u);
    const PlannedObject object = pattern->object(1, operation.object);
    const std::string path = object.group + "/" + object.name;
    if (operation.verb == Verb::kMakeGroup) there.insert(object.name);
    if (operation.verb == Verb::kMakeDataset || operation.verb == Verb::kLink) {
      EXPECT_TRUE(there.insert(path).second);
      EXPECT_TRUE(there.contains(object.group));
    }
    EXPECT_TRUE(operation.verb != Verb::kLink || there.contains(object.group + "/" + object.target));
    if (operation.verb != Verb::kWrite) continue;
    EXPECT_EQ(operation.offset, bytes);
    EXPECT_EQ(object.offset, bytes);
    bytes += operation.bytes;
  }
  EXPECT_EQ(there.size(), 3u + 12 * 3);
  EXPECT_EQ(bytes, pattern->file(1).bytes);
}

TEST(Links, AVisitOpensEveryDatasetAndACheckReadsIt) {
  const auto pattern = made();
  std::set<std::string> visited;
  for (const Operation& operation : plan_of(*pattern, 1, 0)) {
    EXPECT_EQ(operation.bytes, 0u);
    if (operation.verb == Verb::kOpenDataset) {
      const PlannedObject object = pattern->object(0, operation.object);
      visited.insert(object.group + "/" + object.name);
    }
  }
  EXPECT_EQ(visited.size(), 12u);
  const Phase check = {"check", Verb::kRead};
  uint64_t bytes = 0, operations = 0;
  ASSERT_TRUE(pattern
                  ->plan(check, 0,
                         [&](const Operation& operation) {
                           bytes += operation.bytes;
                           ++operations;
                           return base::Status();
                         })
                  .ok());
  EXPECT_EQ(bytes, pattern->file(0).bytes);
  EXPECT_EQ(operations, pattern->operations(check, 0));
}

TEST(Links, WhatMakesNoSenseIsRefused) {
  for (const LinksSettings& settings :
       {LinksSettings{.groups = 0}, LinksSettings{.datasets = 0}, LinksSettings{.size = 0},
        LinksSettings{.size = 4, .chunk = 8}, LinksSettings{.chunk = 0}, LinksSettings{.size = uint64_t{2} << 30},
        LinksSettings{.groups = UINT64_MAX}, LinksSettings{.datasets = UINT64_MAX}, LinksSettings{.links = UINT64_MAX},
        LinksSettings{.groups = 60000, .datasets = 60000, .links = 0, .size = 1 << 30, .ranks = 100}})
    EXPECT_EQ(make_links(settings).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::workload
