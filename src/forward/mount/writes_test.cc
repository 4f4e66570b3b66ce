#include "forward/mount/writes.h"

#include <gtest/gtest.h>

namespace headrace::forward::mount {
namespace {

TEST(Writes, ACommitSettlesWhatWasAnsweredBeforeItBegan) {
  Writes writes;
  EXPECT_FALSE(writes.unsettled());
  writes.add();
  const uint64_t begun = writes.now();
  writes.add();
  EXPECT_TRUE(writes.unsettled());
  writes.settle(begun);
  EXPECT_TRUE(writes.unsettled());
  writes.settle(writes.now());
  EXPECT_FALSE(writes.unsettled());
}

TEST(Writes, ACommitThatEndsLateTakesNothingBack) {
  Writes writes;
  writes.add();
  const uint64_t early = writes.now();
  writes.add();
  writes.settle(writes.now());
  writes.settle(early);
  EXPECT_FALSE(writes.unsettled());
}

}  // namespace
}  // namespace headrace::forward::mount
