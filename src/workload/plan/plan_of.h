// For tests of patterns.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "workload/plan/pattern.h"

namespace headrace::workload {

inline std::vector<Operation> plan_of(const Pattern& pattern, size_t phase, int rank) {
  std::vector<Operation> all;
  EXPECT_TRUE(pattern
                  .plan(pattern.phases()[phase], rank,
                        [&](const Operation& operation) {
                          all.push_back(operation);
                          return base::Status();
                        })
                  .ok());
  EXPECT_EQ(all.size(), pattern.operations(pattern.phases()[phase], rank));
  return all;
}

}  // namespace headrace::workload
