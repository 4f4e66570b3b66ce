#include "workload/run/figures.h"

#include <gtest/gtest.h>

namespace headrace::workload {
namespace {

PhaseFigures rank_of(uint64_t begin, uint64_t end, uint64_t bytes) {
  PhaseFigures one;
  one.begin_ns = begin;
  one.duration_ns = end - begin;
  one[Verb::kWrite].add(bytes, end - begin);
  return one;
}

TEST(Figures, TheSlowestRankMakesTheRate) {
  const PhaseSum sum = sum_of({rank_of(100, 500, 1000), rank_of(150, 950, 3000)});
  EXPECT_EQ(sum.slowest_ns, 800u);
  EXPECT_EQ(sum.slowest_rank, 1u);
  EXPECT_EQ(sum.fastest_ns, 400u);
  EXPECT_EQ(sum.elapsed_ns, 850u);
  EXPECT_EQ(sum.all[Verb::kWrite].calls, 2u);
  EXPECT_EQ(sum.all[Verb::kWrite].longest_ns, 800u);
  EXPECT_DOUBLE_EQ(sum.bytes_per_second(), 4000 / 800e-9);
  EXPECT_DOUBLE_EQ(sum.summed_rate, 1000 / 400e-9 + 3000 / 800e-9);
  EXPECT_EQ(sum.wrong_rank, -1);
}

TEST(Figures, TheFirstRankWithWrongDataIsNamed) {
  std::vector<PhaseFigures> ranks(3);
  ranks[1].missing_bytes = 7;
  ranks[1].first_wrong_at = 11;
  ranks[2].wrong_bytes = 5;
  const PhaseSum sum = sum_of(ranks);
  EXPECT_EQ(sum.wrong_rank, 1);
  EXPECT_EQ(sum.all.first_wrong_at, 11u);
  EXPECT_EQ(sum.all.wrong_bytes + sum.all.missing_bytes, 12u);
  EXPECT_EQ(sum_of({}).bytes_per_second(), 0);
}

}  // namespace
}  // namespace headrace::workload
