#include "model/distinct_names.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "base/hash.h"

namespace headrace::model {
namespace {

std::string sketch_of(uint64_t from, uint64_t to) {
  std::string slots(DistinctNames::kSlots, DistinctNames::kEmpty);
  for (uint64_t i = from; i < to; ++i)
    DistinctNames::add(slots.data(), base::hash_text("/data/file-" + std::to_string(i)));
  return slots;
}

TEST(DistinctNames, FewAndManyAreCountedWithinFourStandardErrors) {
  EXPECT_EQ(DistinctNames::estimate(sketch_of(0, 0)), 0);
  for (const uint64_t count :
       {1u, 10u, 100u, 1000u, 2000u, 4000u, 5000u, 6000u, 10'000u, 20'000u, 100'000u, 1'000'000u})
    EXPECT_NEAR(DistinctNames::estimate(sketch_of(0, count)) / static_cast<double>(count), 1, 0.092) << count;
}

TEST(DistinctNames, NamesOfSeveralSetsCountOnce) {
  std::string all = sketch_of(0, 20'000);
  EXPECT_TRUE(DistinctNames::unite(all.data(), sketch_of(10'000, 30'000)));
  EXPECT_EQ(all, sketch_of(0, 30'000));
}

TEST(DistinctNames, WhatIsNoSketchIsLeftOut) {
  const std::string known = sketch_of(0, 100);
  std::string all = known;
  std::string wrong = known;
  wrong[7] = 'z';
  for (const std::string& other : {std::string(), known.substr(1), known + "0", wrong}) {
    EXPECT_FALSE(DistinctNames::unite(all.data(), other));
    EXPECT_EQ(DistinctNames::estimate(other), 0);
  }
  EXPECT_EQ(all, known);
}

TEST(DistinctNames, TheRarestIdHasTheLastLetter) {
  std::string slots(DistinctNames::kSlots, DistinctNames::kEmpty);
  DistinctNames::add(slots.data(), 0);
  EXPECT_EQ(slots[0], static_cast<char>(DistinctNames::kEmpty + DistinctNames::kMostLeading));
  std::string all(slots);
  EXPECT_TRUE(DistinctNames::unite(all.data(), slots));
}

}  // namespace
}  // namespace headrace::model
