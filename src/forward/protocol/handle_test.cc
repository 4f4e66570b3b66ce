#include "forward/protocol/handle.h"

#include <errno.h>
#include <gtest/gtest.h>

#include "forward/protocol/secret.h"

namespace headrace::forward {
namespace {

const File kFile{.root = 3, .type = 8, .inode = 0x1234567890, .born = -77, .path = "a/b c/ü"};

TEST(Handle, IsTheSameAtEveryServerOfTheSecret) {
  const Secret secret = random_secret();
  const HandleMaker one(derive(secret, "handles")), other(derive(secret, "handles"));
  const auto opened = other.open(one.make(kFile));
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->root, kFile.root);
  EXPECT_EQ(opened->type, kFile.type);
  EXPECT_EQ(opened->inode, kFile.inode);
  EXPECT_EQ(opened->born, kFile.born);
  EXPECT_EQ(opened->path, kFile.path);
  EXPECT_EQ(opened->identity(), kFile.identity());
}

TEST(Handle, CannotBeChangedInAnyBit) {
  const HandleMaker maker(random_secret());
  std::vector<uint8_t> handle = maker.make(kFile);
  for (size_t bit = 0; bit < handle.size() * 8; ++bit) {
    handle[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_EQ(maker.open(handle).error(), ESTALE);
    handle[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
  for (size_t size = 0; size < handle.size(); ++size) EXPECT_FALSE(maker.open({handle.data(), size}).ok());
  EXPECT_TRUE(maker.open(handle).ok());
  EXPECT_FALSE(HandleMaker(random_secret()).open(handle).ok());
}

}  // namespace
}  // namespace headrace::forward
