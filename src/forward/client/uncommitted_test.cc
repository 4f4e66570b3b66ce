#include "forward/client/uncommitted.h"

#include <gtest/gtest.h>

namespace headrace::forward {
namespace {

constexpr uint64_t kFile = 7, kOne = 1, kTwo = 2;  // a file, and two starts of a server

TEST(Uncommitted, WhatWasAnsweredBehindACommitIsStillToBeCommitted) {
  Uncommitted files;
  files.wrote(kFile, kOne);
  const uint64_t before = files.answered();
  files.wrote(kFile, kOne);
  EXPECT_FALSE(files.was_lost(kFile, kOne, true, before));
  EXPECT_TRUE(files.was_lost(kFile, kTwo, true, files.answered()));
  EXPECT_FALSE(files.was_lost(kFile, kTwo, true, files.answered()));
}

TEST(Uncommitted, WhatIsLostIsToldOnce) {
  Uncommitted files;
  files.wrote(kFile, kOne);
  files.wrote(kFile, kTwo);
  const uint64_t before = files.answered();
  files.wrote(kFile, kTwo);
  EXPECT_TRUE(files.was_lost(kFile, kTwo, true, before));
  EXPECT_FALSE(files.was_lost(kFile, kTwo, true, files.answered()));
  EXPECT_FALSE(files.has(kFile));
}

TEST(Uncommitted, APartThatIsCommittedLeavesTheRest) {
  Uncommitted files;
  files.wrote(kFile, kOne);
  EXPECT_FALSE(files.was_lost(kFile, kOne, false, files.answered()));
  EXPECT_TRUE(files.was_lost(kFile, kTwo, false, files.answered()));
}

}  // namespace
}  // namespace headrace::forward
