#include "forward/server/locks.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace headrace::forward {
namespace {

Nonce named(uint8_t number) { return {number}; }

Locks::Wanted wanted(uint8_t owner, bool exclusive, uint64_t begin, uint64_t length) {
  return {named(owner), named(owner), {}, owner, exclusive, false, {begin, length}};
}

TEST(Locks, EndWithTheLastClientOfTheirOwner) {
  Locks locks;
  const File file;
  bool full = false;
  for (uint8_t client : {1, 2, 3}) locks.arrived(named(client));
  Locks::Wanted shared = wanted(2, true, 0, 0);
  shared.opener = named(1);
  EXPECT_FALSE(locks.take(file, shared, false, &full).has_value());
  locks.gone(named(2));
  EXPECT_EQ(locks.take(file, wanted(3, false, 7, 1), false, &full)->process, 2u);
  locks.leave(named(2), named(1));
  EXPECT_FALSE(locks.take(file, wanted(3, false, 7, 1), false, &full).has_value());
  locks.arrived(named(3));
  locks.gone(named(3));
  EXPECT_EQ(locks.count(), 1u);
  locks.gone(named(3));
  EXPECT_EQ(locks.count(), 0u);
}

TEST(Locks, OfAClientThatIsNotThereAreRefused) {
  Locks locks;
  bool full = false;
  EXPECT_FALSE(locks.take(File(), wanted(1, true, 0, 0), false, &full).has_value());
  EXPECT_TRUE(full);
  EXPECT_EQ(locks.count(), 0u);
}

/// Against an array that says who has each byte.
TEST(Locks, AreThoseOfEveryByte) {
  constexpr size_t kBytes = 40;
  std::array<std::array<int, kBytes>, 3> has{};  // by owner: 0 none, 1 shared, 2 exclusive
  std::mt19937 random(5);
  Locks locks;
  for (uint8_t owner : {0, 1, 2}) locks.arrived(named(owner));
  for (int step = 0; step < 20'000; ++step) {
    const auto owner = static_cast<uint8_t>(random() % 3);
    const size_t begin = random() % kBytes, end = begin + 1 + random() % (kBytes - begin);
    const int kind = static_cast<int>(random() % 3);
    const Locks::Wanted what = wanted(owner, kind == 2, begin, end == kBytes ? 0 : end - begin);
    bool free = true, full = false;
    for (size_t other = 0; other < 3; ++other)
      for (size_t i = begin; i < end && other != owner; ++i) free = free && has[other][i] + kind < 3;
    if (kind == 0) {
      locks.give(File(), what);
    } else {
      const bool test = random() % 4 == 0;
      ASSERT_EQ(!locks.take(File(), what, test, &full).has_value(), free || kind == 0) << step;
      if (!free || test) continue;
    }
    for (size_t i = begin; i < end; ++i) has[owner][i] = kind;
    size_t runs = 0;
    for (const auto& row : has)
      for (size_t i = 0; i < kBytes; ++i) runs += row[i] != 0 && (i == 0 || row[i - 1] != row[i]);
    ASSERT_EQ(locks.count(), runs) << step;
  }
}

}  // namespace
}  // namespace headrace::forward
