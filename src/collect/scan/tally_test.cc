#include "collect/scan/tally.h"

#include <gtest/gtest.h>

namespace headrace::collect {
namespace {

constexpr int64_t kMostTallied = std::numeric_limits<int64_t>::max();

Inode made(FileType type, int64_t size, int64_t capacity, uint32_t user = 1) {
  Inode inode;
  inode.type = type;
  inode.size = size;
  inode.capacity = capacity;
  inode.owner.user = user;
  return inode;
}

Bin bin_of(const Sums& sums, Histogram histogram, int bucket, uint32_t user = 1) {
  const auto found = sums.bins.find({{user, 0, 0}, static_cast<uint16_t>(place_of(histogram, bucket))});
  return found == sums.bins.end() ? Bin() : found->second;
}

TEST(Tally, CountsEveryTypeAsItself) {
  Counts counts;
  counts.add_inode(made(FileType::kFile, 5000, 8192));
  counts.add_inode(made(FileType::kDirectory, 4096, 4096));
  Inode link = made(FileType::kSymlink, 9, 0);
  link.absolute = true;
  counts.add_inode(link);
  counts.add_inode(made(FileType::kOther, 1, 512));
  Sums sums;
  counts.move_to(sums);
  const Totals& totals = sums.totals;
  EXPECT_EQ(std::vector({totals.files, totals.directories, totals.symlinks, totals.others}),
            std::vector<int64_t>({1, 1, 1, 1}));
  EXPECT_EQ(std::vector({totals.bytes, totals.directory_bytes, totals.symlink_bytes, totals.other_bytes}),
            std::vector<int64_t>({5000, 4096, 9, 1}));
  EXPECT_EQ(std::vector({totals.capacity, totals.other_capacity, totals.symlinks_absolute, totals.entries()}),
            std::vector<int64_t>({8192, 4608, 1, 4}));
  EXPECT_EQ(bin_of(sums, Histogram::kPositiveOverhead, 13).total, 8192 - 5000 + 0);  // both bins of 4096 to 8191
  EXPECT_EQ(bin_of(sums, Histogram::kPositiveOverhead, 13).files, 2);
  EXPECT_EQ(bin_of(sums, Histogram::kNegativeOverhead, 4).total, 9);
  EXPECT_EQ(bin_of(sums, Histogram::kSymlinkLength, 1).files, 1);
  EXPECT_EQ(counts.owners(), 0u);  // it begins anew
}

TEST(Tally, SizesBeyondSumsEndAtTheGreatestNumber) {
  Counts counts;
  for (int i = 0; i < 5; ++i) counts.add_inode(made(FileType::kFile, kMostTallied, 0));
  Sums sums;
  counts.move_to(sums);
  counts.add_inode(made(FileType::kFile, 1, 0));
  counts.move_to(sums);
  EXPECT_EQ(sums.totals.bytes, kMostTallied);
  EXPECT_EQ(sums.totals.largest, kMostTallied);
  EXPECT_EQ(sums.totals.files, 6);
  EXPECT_EQ(bin_of(sums, Histogram::kSize, 63).bytes, kMostTallied);
  EXPECT_EQ(bin_of(sums, Histogram::kSize, 63).files, 5);
  EXPECT_EQ(bin_of(sums, Histogram::kNegativeOverhead, 63).total, kMostTallied);
}

TEST(Tally, AgesAreWeightedBySizeAndMayBeBelowZero) {
  Counts counts;
  Inode inode = made(FileType::kFile, 10, 0);
  inode.ages = {-5, 700, kMostTallied};
  counts.add_inode(inode);
  Sums sums;
  counts.move_to(sums);
  EXPECT_EQ(bin_of(sums, Histogram::kModifiedAge, -1).total, -5);
  EXPECT_EQ(bin_of(sums, Histogram::kModifiedAge, -1).weighted, -50);
  EXPECT_EQ(bin_of(sums, Histogram::kAccessedAge, 1).bytes, 10);
  EXPECT_EQ(sums.ranges[static_cast<size_t>(Histogram::kChangedAge)].greatest, kMostTallied);
}

TEST(Tally, OwnersAreKeptApartAndSumsAddUp) {
  Counts one, two;
  for (uint32_t user = 0; user < 200; ++user) {
    one.add_inode(made(FileType::kFile, 1, 0, user));
    two.add_inode(made(FileType::kFile, 1, 0, user / 2));
    two.add_directory(made(FileType::kDirectory, 64, 0, user), 7, user);
    two.add_name({user, 0, 0}, 3);
  }
  EXPECT_EQ(one.owners(), 200u);
  Sums sums;
  one.move_to(sums);
  two.move_to(sums);
  EXPECT_EQ(bin_of(sums, Histogram::kSize, 1, 0).files, 3);
  EXPECT_EQ(bin_of(sums, Histogram::kSize, 1, 150).files, 1);
  EXPECT_EQ(bin_of(sums, Histogram::kDirectoryEntries, 3, 9).total, 7);
  EXPECT_EQ(bin_of(sums, Histogram::kNameLength, 0, 9).bytes, 3);
  EXPECT_EQ(sums.totals.files, 400);
  EXPECT_EQ(sums.ranges[static_cast<size_t>(Histogram::kDirectoryFiles)].greatest, 199);
}

}  // namespace
}  // namespace headrace::collect
