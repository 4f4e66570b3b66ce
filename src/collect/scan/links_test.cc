#include "collect/scan/links.h"

#include <gtest/gtest.h>

#include "collect/scan/temporary.h"

namespace headrace::collect {
namespace {

using base::Code;

Inode named(uint64_t number, uint32_t place = 0) {
  Inode inode;
  inode.device = number % 3;
  inode.number = number;
  inode.size = static_cast<int64_t>(10 * number);
  inode.owner = {1, 2, place};
  inode.links = 9;
  inode.ages = {-1, 2, 3};
  return inode;
}

struct Found {
  std::map<uint64_t, int64_t> names;
  std::map<uint64_t, Inode> inodes;
  std::vector<std::pair<uint64_t, uint64_t>> order;
};

Found read(const LinkFile& links, size_t memory) {
  Found found;
  const base::Status read = links.each(
      [&](const Inode& inode, int64_t names) {
        found.names[inode.number] += names;
        found.inodes[inode.number] = inode;
        found.order.emplace_back(inode.device, inode.number);
      },
      memory);
  EXPECT_TRUE(read.ok()) << read.message();
  return found;
}

TEST(Links, EachInodeComesOnceWhateverIsSortedAtATime) {
  const Temporary directory;
  auto links = LinkFile::open(directory / "links", 0);
  ASSERT_TRUE(links.ok());
  std::map<uint64_t, int64_t> expected;
  for (uint64_t i = 0; i < 500; ++i) {
    const uint64_t number = i * i % 101;
    ASSERT_TRUE(links->append({named(number, static_cast<uint32_t>(i % 5)), named(1000 + i)}).ok());
    ++expected[number];
    ++expected[1000 + i];
  }
  const Found whole = read(*links, 1U << 17);
  for (const size_t memory : {1UL, 7UL, 999UL, 1000UL, 1001UL}) {
    const Found found = read(*links, memory);
    EXPECT_EQ(found.names, expected);
    EXPECT_EQ(found.order.size(), expected.size());
    EXPECT_TRUE(std::is_sorted(found.order.begin(), found.order.end()));
    for (const auto& [number, inode] : found.inodes) {
      EXPECT_EQ(inode.size, static_cast<int64_t>(10 * number));
      EXPECT_EQ(inode.ages[0], -1);
      EXPECT_EQ(inode.owner, whole.inodes.at(number).owner);
    }
  }
}

TEST(Links, WhichNameCountsDoesNotDependOnWhoWasFirst) {
  const Temporary directory;
  for (const bool reversed : {false, true}) {
    auto links = LinkFile::open(directory / (reversed ? "a" : "b"), 0);
    ASSERT_TRUE(links.ok());
    std::vector<Inode> both = {named(7, 4), named(7, 2)};
    if (reversed) std::swap(both[0], both[1]);
    ASSERT_TRUE(links->append(both).ok());
    EXPECT_EQ(read(*links, 1).inodes[7].owner.place, 2u);
  }
}

TEST(Links, GoesOnAtAStoredLength) {
  const Temporary directory;
  uint64_t length = 0;
  {
    auto links = LinkFile::open(directory / "links", 0);
    ASSERT_TRUE(links.ok() && links->append({named(1)}).ok() && links->sync().ok());
    length = links->bytes();
    ASSERT_TRUE(links->append({named(2)}).ok());
    EXPECT_EQ(LinkFile::open(directory / "links", 0).code(), Code::kInvalid);  // one scan at a time
  }
  EXPECT_EQ(LinkFile::open(directory / "links", 2 * length + 80).code(), Code::kTruncated);
  EXPECT_EQ(LinkFile::open(directory / "links", length - 1).code(), Code::kTruncated);
  const auto links = LinkFile::open(directory / "links", length);
  ASSERT_TRUE(links.ok());
  EXPECT_EQ(read(*links, 10).names, (std::map<uint64_t, int64_t>{{1, 1}}));
}

TEST(Links, NoneAreNone) {
  const Temporary directory;
  const auto links = LinkFile::open(directory / "links", 0);
  ASSERT_TRUE(links.ok());
  EXPECT_TRUE(read(*links, 10).order.empty());
  EXPECT_EQ(LinkFile::open(directory / "none/links", 0).code(), Code::kIo);
}

}  // namespace
}  // namespace headrace::collect
