#include "workload/run/place.h"

#include <gtest/gtest.h>

#include "workload/plan/h5perf.h"
#include "workload/plan/macsio.h"

namespace headrace::workload {
namespace {

TEST(Place, AFileThatGoesFromRankToRankIsInTheMemoryOfEach) {
  MacsioSettings settings;
  settings.ranks = 8;
  settings.files = 1;
  settings.parts = 1;
  settings.part = 1 << 20;
  settings.variables = 1;
  const auto pattern = make_macsio(settings);
  ASSERT_TRUE(pattern.ok()) << pattern.message();
  EXPECT_EQ(memory_of_files(**pattern, 1), 8u << 20);      // on nodes of one rank each has all of it in turn
  EXPECT_GE(memory_of_files(**pattern, 8) * 8, 8u << 20);  // on one node it is there once
  EXPECT_LT(memory_of_files(**pattern, 8) * 8, 9u << 20);
}

TEST(Place, FilesOfEachRankAreInItsOwnMemory) {
  H5perfSettings settings;
  settings.ranks = 8;
  settings.size = settings.access = {1 << 20};
  const auto pattern = make_h5perf(settings);
  ASSERT_TRUE(pattern.ok()) << pattern.message();
  EXPECT_EQ(memory_of_files(**pattern, 1), 1u << 20);
  EXPECT_EQ(memory_of_files(**pattern, 4), 1u << 20);
}

}  // namespace
}  // namespace headrace::workload
