#include "forward/mount/items.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "forward/protocol/handle.h"

namespace headrace::forward::mount {
namespace {

Node node(uint64_t inode, const std::string& path, bool directory = false) {
  const HandleMaker maker(base::SipKey{});
  Node made;
  made.handle =
      maker.make({.root = 0, .type = static_cast<uint8_t>(directory ? 4 : 8), .inode = inode, .born = 7, .path = path});
  made.attributes.mode = directory ? S_IFDIR : S_IFREG;
  return made;
}

struct ItemsTest : ::testing::Test {
  Items items{node(1, "", true).handle};
  ItemRef add(uint64_t directory, const std::string& name, uint64_t inode, bool is_directory = false) {
    return items.found(directory, name, node(inode, name, is_directory));
  }
};

TEST_F(ItemsTest, AFileHasOneNumberUnderAllItsNames) {
  const ItemRef a = add(kRootId, "a", 10), directory = add(kRootId, "d", 11, true);
  EXPECT_NE(a->id, directory->id);
  EXPECT_EQ(add(directory->id, "b", 10), a);
  EXPECT_EQ(items.path(*a), "d/b");
  items.gone(directory->id, "b");
  EXPECT_EQ(items.path(*a), "a");
  items.gone(kRootId, "a");
  EXPECT_EQ(items.path(*a), std::nullopt);
}

TEST_F(ItemsTest, NamesFollowTheirDirectories) {
  const ItemRef d = add(kRootId, "d", 11, true), e = add(d->id, "e", 12, true), f = add(e->id, "f", 13);
  items.renamed(d->id, "e", kRootId, "g");
  EXPECT_EQ(items.path(*f), "g/f");
  EXPECT_EQ(items.known(d->id, "e"), nullptr);
  EXPECT_EQ(items.known(kRootId, "g"), e);
  // Another client moved it back.
  EXPECT_EQ(add(d->id, "e", 12, true), e);
  EXPECT_EQ(items.path(*f), "d/e/f");
  EXPECT_EQ(items.known(kRootId, "g"), nullptr);
}

TEST_F(ItemsTest, ARenameTakesTheNameOfWhatWasThere) {
  const ItemRef a = add(kRootId, "a", 10), b = add(kRootId, "b", 11);
  items.renamed(kRootId, "a", kRootId, "b");
  EXPECT_EQ(items.known(kRootId, "b"), a);
  EXPECT_EQ(items.path(*b), std::nullopt);
  items.renamed(kRootId, "unknown", kRootId, "b");
  EXPECT_EQ(items.known(kRootId, "b"), nullptr);
}

TEST_F(ItemsTest, ForgottenWhenTheKernelHasForgottenIt) {
  const ItemRef d = add(kRootId, "d", 11, true), f = add(d->id, "f", 12);
  add(d->id, "f", 12);
  items.forget(f->id, 1);
  EXPECT_EQ(items.find(f->id), f);
  items.forget(d->id, 1);
  EXPECT_EQ(items.find(d->id), nullptr);
  EXPECT_EQ(items.path(*f), std::nullopt);
  items.forget(f->id, 5);
  EXPECT_EQ(items.find(f->id), nullptr);
  items.forget(kRootId, 9);
  EXPECT_NE(items.find(kRootId), nullptr);
  EXPECT_EQ(items.all().size(), 1u);
}

TEST_F(ItemsTest, ANewFileIsNotARemovedOne) {
  const ItemRef a = add(kRootId, "a", 10);
  items.gone(kRootId, "a");
  items.set_removed(a);
  const ItemRef again = add(kRootId, "a", 10);
  EXPECT_NE(again, a);
  items.forget(a->id, 1);
  EXPECT_EQ(add(kRootId, "a", 10), again);
}

TEST_F(ItemsTest, ACircleOfNamesEnds) {
  const ItemRef a = add(kRootId, "a", 10, true), b = add(a->id, "b", 11, true);
  add(b->id, "a", 10, true);
  EXPECT_EQ(items.path(*a), std::nullopt);
}

TEST_F(ItemsTest, AHandleOfAnotherFileIsNotTaken) {
  const ItemRef a = add(kRootId, "a", 10);
  EXPECT_FALSE(items.set_handle(*a, node(11, "a").handle));
  EXPECT_TRUE(items.set_handle(*a, node(10, "elsewhere").handle));
  EXPECT_EQ(*items.handle(*a), node(10, "elsewhere").handle);
}

}  // namespace
}  // namespace headrace::forward::mount
