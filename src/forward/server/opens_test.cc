#include "forward/server/opens.h"

#include <gtest/gtest.h>
#include <string.h>

#include "forward/backend/memory.h"

namespace headrace::forward {
namespace {

class OpensTest : public testing::Test {
 protected:
  OpensTest() {
    const File root = root_file(0);
    file_ = backend_.create({root, "f"}, {})->file;
    opens_.arrived(one_);
    opens_.arrived(two_);
  }
  MemoryBackend backend_{"/m", 1 << 20};
  Opens opens_{backend_};
  const Nonce one_{1}, two_{2}, owner_{3}, other_{4};
  File file_;
};

TEST_F(OpensTest, AFileIsUnusedWhenTheLastHasClosedIt) {
  EXPECT_FALSE(opens_.is_unused(file_));  // nobody is known, and who was is not
  opens_.open(file_, true, owner_, one_);
  opens_.open(file_, false, other_, two_);
  EXPECT_TRUE(opens_.has(file_));
  EXPECT_EQ(opens_.close(file_, owner_, one_, false), nullptr);
  EXPECT_FALSE(opens_.is_unused(file_));
  EXPECT_NE(opens_.close(file_, other_, two_, false), nullptr);
  EXPECT_TRUE(opens_.is_unused(file_));
  EXPECT_EQ(opens_.close(file_, other_, two_, false), nullptr);
}

TEST_F(OpensTest, WhoMayHaveInheritedItEndsTheDoubtByClosing) {
  opens_.open(file_, true, owner_, one_);
  EXPECT_NE(opens_.close(file_, owner_, one_, true), nullptr);
  EXPECT_FALSE(opens_.has(file_));
  EXPECT_FALSE(opens_.is_unused(file_));
  opens_.open(file_, true, owner_, two_);
  EXPECT_NE(opens_.close(file_, owner_, two_, false), nullptr);
  EXPECT_TRUE(opens_.is_unused(file_));
}

TEST_F(OpensTest, AClientThatEndsLeavesADoubt) {
  opens_.arrived(one_);  // a second connection, before the first is known to have ended
  opens_.open(file_, true, owner_, one_);
  opens_.gone(one_);
  EXPECT_TRUE(opens_.has(file_));
  opens_.gone(one_);
  EXPECT_FALSE(opens_.has(file_));
  EXPECT_FALSE(opens_.is_unused(file_));
  opens_.open(file_, true, owner_, one_);  // by one that is not there
  EXPECT_FALSE(opens_.has(file_));
}

TEST_F(OpensTest, AClientHasABoundedNumber) {
  Nonce owner{};
  for (unsigned i = 0; i < (1 << 17) + 10; ++i) {
    memcpy(owner.data(), &i, sizeof i);
    opens_.open(file_, false, owner, one_);
  }
  EXPECT_TRUE(opens_.has(file_));
  EXPECT_EQ(opens_.close(file_, owner, one_, false), nullptr);
  opens_.gone(one_);
  EXPECT_FALSE(opens_.has(file_));
}

TEST_F(OpensTest, OneThatIsOpenedElsewhereIsNobodysHere) {
  opens_.expect(file_);
  EXPECT_TRUE(opens_.is_unused(file_));
}

}  // namespace
}  // namespace headrace::forward
