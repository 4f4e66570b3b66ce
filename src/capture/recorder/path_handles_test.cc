#include "capture/recorder/path_handles.h"

#include <gtest/gtest.h>

#include <memory>

namespace headrace::capture {
namespace {

TEST(PathHandles, FourOfOnePlaceDoNotDisplaceEachOther) {
  const auto handles = std::make_unique<PathHandles>();
  for (uint32_t i = 1; i <= 4; ++i) handles->put(i * 1024, 1, i);
  for (uint32_t i = 1; i <= 4; ++i) EXPECT_EQ(handles->find(i * 1024, 1), i);
  handles->put(5 * 1024, 1, 5);
  EXPECT_EQ(handles->find(1024, 1), 0u) << "the oldest";
  for (uint32_t i = 2; i <= 5; ++i) EXPECT_EQ(handles->find(i * 1024, 1), i);
}

TEST(PathHandles, AreOfOneFileOfEvents) {
  const auto handles = std::make_unique<PathHandles>();
  handles->put(7, 1, 3);
  EXPECT_EQ(handles->find(7, 1), 3u);
  EXPECT_EQ(handles->find(7, 2), 0u) << "a forked child has a file of its own";
  EXPECT_EQ(handles->find(0, 0), 0u) << "a place that is free is no path";
}

TEST(PathHandles, AreBounded) {
  const auto handles = std::make_unique<PathHandles>();
  for (uint32_t i = 0; i < PathHandles::kMost; ++i) {
    ASSERT_TRUE(handles->may_give(1));
    handles->put(i, 1, i + 1);
  }
  EXPECT_FALSE(handles->may_give(1));
  EXPECT_TRUE(handles->may_give(2));
  handles->put(1, 2, 1);
  EXPECT_TRUE(handles->may_give(2));
}

}  // namespace
}  // namespace headrace::capture
