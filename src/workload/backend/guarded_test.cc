#include "workload/backend/guarded.h"

#include <gtest/gtest.h>

#include <numeric>

namespace headrace::workload {
namespace {

TEST(Guarded, CellsComeBackAndGuardsStayAsTheyAre) {
  const PlannedArray array = {"dens", Element::kInt, {5, 2, 3, 4}, 0, {}, 2};
  std::vector<uint8_t> rows(3 * array.step());  // three of the five blocks
  std::iota(rows.begin(), rows.end(), uint8_t{1});
  EXPECT_EQ(extent_in_memory(array, 3), (std::vector<unsigned long long>{3, 6, 7, 8}));

  std::vector<uint8_t> memory(3 * 6 * 7 * 8 * 4, 0xee), again(rows.size());
  put_between_guards(array, rows, memory);
  take_from_between_guards(array, memory, again);
  EXPECT_EQ(again, rows);

  const auto cell = [&](size_t b, size_t z, size_t y, size_t x) { return memory[(((b * 6 + z) * 7 + y) * 8 + x) * 4]; };
  EXPECT_EQ(cell(0, 2, 2, 2), rows[0]);
  EXPECT_EQ(cell(1, 3, 4, 5), rows[(1 * 24 + 1 * 12 + 2 * 4 + 3) * 4]);
  EXPECT_EQ(cell(1, 2, 2, 1), 0xee);
  EXPECT_EQ(cell(2, 4, 2, 2), 0xee);
  EXPECT_EQ(static_cast<size_t>(std::count(memory.begin(), memory.end(), 0xee)),
            memory.size() - rows.size() + static_cast<size_t>(std::count(rows.begin(), rows.end(), 0xee)));
}

TEST(Guarded, OneDimensionHasNoGuards) {
  const PlannedArray array = {"gid", Element::kDouble, {6}};
  std::vector<uint8_t> rows(16, 7), memory;
  put_between_guards(array, rows, memory);
  EXPECT_EQ(memory, rows);
}

}  // namespace
}  // namespace headrace::workload
