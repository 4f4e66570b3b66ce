#include "workload/run/contents.h"

#include <gtest/gtest.h>

#include <random>

namespace headrace::workload {
namespace {

constexpr uint64_t kRepeats = 64 * 509;

std::vector<uint8_t> copy_of(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(Contents, PartsAreThoseOfTheWhole) {
  const Contents contents(3, 2 * kRepeats);
  const auto whole = contents.at(5, 0, 2 * kRepeats);
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const size_t from = random() % (2 * kRepeats), count = random() % std::min<size_t>(2 * kRepeats - from, 1000);
    const auto part = contents.at(5, from, count);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<ptrdiff_t>(from)));
    EXPECT_FALSE(contents.compare(5, from, part));
    EXPECT_FALSE(contents.glance(5, from, part));
  }
}

TEST(Contents, EveryWrongByteIsFound) {
  const Contents contents(3, 100);
  for (size_t wrong = 0; wrong < 100; ++wrong) {
    std::vector<uint8_t> bytes = copy_of(contents.at(5, 13, 100));
    bytes[wrong] ^= 1;
    const auto found = contents.compare(5, 13, bytes);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->offset, 13 + wrong);
    EXPECT_EQ(found->bytes, 1u);
  }
}

TEST(Contents, AGlanceFindsPagesThatAreNotThere) {
  const Contents contents(3, 16384);
  for (size_t page = 0; page < 4; ++page) {
    std::vector<uint8_t> bytes = copy_of(contents.at(5, 0, 16384));
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(4096 * page), 4096, uint8_t(bytes[4096 * page] + 1));
    ASSERT_TRUE(contents.glance(5, 0, bytes));
    EXPECT_EQ(contents.glance(5, 0, bytes)->offset, 4096 * page);
  }
}

TEST(Contents, OtherRunsFilesAndPlacesDiffer) {
  const Contents contents(3, 64), other(4, 64);
  const std::vector<uint8_t> bytes = copy_of(contents.at(5, 64, 64));
  EXPECT_FALSE(contents.compare(5, 64, bytes));
  EXPECT_TRUE(other.compare(5, 64, bytes));
  for (uint32_t file = 6; file < 5 + 509; ++file) EXPECT_TRUE(contents.compare(file, 64, bytes)) << file;
  for (uint64_t offset = 0; offset < 8192; offset += 64) EXPECT_TRUE(contents.compare(6, offset, bytes)) << offset;
  EXPECT_TRUE(contents.compare(5, 64, std::vector<uint8_t>(64)));
  for (int power = 0; power < 62; ++power)
    EXPECT_TRUE(contents.compare(5, 64 + (uint64_t{1} << power), bytes)) << power;
}

}  // namespace
}  // namespace headrace::workload
