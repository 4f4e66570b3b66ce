#include "workload/plan/array.h"

#include <gtest/gtest.h>

namespace headrace::workload {
namespace {

TEST(LayOut, OneBehindTheOther) {
  std::vector<PlannedArray> arrays = {{"a", Element::kDouble, {3, 2}}, {"b", Element::kByte, {5}}};
  EXPECT_EQ(lay_out(arrays), 53u);
  EXPECT_EQ(arrays[1].offset, 48u);
  EXPECT_EQ(arrays[0].step(), 16u);
}

}  // namespace
}  // namespace headrace::workload
