#include "capture/reduce/butterfly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "base/simulated_ranks.h"
#include "capture/reduce/random_record.h"

namespace headrace::capture {
namespace {

using base::Communicator;

constexpr int kSizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 33, 64, 100};

/// What each rank has: some files of its own, some of all, some of a few.
std::vector<std::vector<model::FileRecord>> random_ranks(int size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<model::FileRecord>> ranks(static_cast<size_t>(size));
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    std::map<uint64_t, model::FileRecord> by_key;
    const auto add = [&](const std::string& path) {
      model::FileRecord record = random_record(random, path);
      by_key.emplace(key_of(record), record);
    };
    for (int i = 0; i < 4; ++i) add("/own/" + std::to_string(rank) + "." + std::to_string(i));
    for (int i = 0; i < 5; ++i) add("/all/" + std::to_string(i));
    for (int i = 0; i < 5; ++i) {
      if (random() % 3 == 0) add("/some/" + std::to_string(i));
    }
    if (random() % 5 == 0) by_key.clear();
    for (auto& [key, record] : by_key) ranks[rank].push_back(std::move(record));
  }
  return ranks;
}

TEST(Census, TellsWhatOtherRanksHave) {
  for (int size : kSizes) {
    const auto records = random_ranks(size, static_cast<uint64_t>(size));
    std::map<uint64_t, int> owners;
    for (const auto& of_rank : records)
      for (const auto& record : of_rank) ++owners[key_of(record)];
    base::simulate_ranks(size, [&](Communicator& ranks) {
      std::vector<uint64_t> keys;
      for (const auto& record : records[static_cast<size_t>(ranks.rank())]) keys.push_back(key_of(record));
      const auto answers = shared_with_others(ranks, keys);
      ASSERT_TRUE(answers.ok()) << answers.message();
      ASSERT_EQ(answers->size(), keys.size());
      for (size_t i = 0; i < keys.size(); ++i) EXPECT_EQ((*answers)[i] != 0, owners[keys[i]] > 1);
    });
  }
}

TEST(BringToOwners, MergesAllOfAKeyAtItsOwner) {
  for (int size : kSizes) {
    const auto records = random_ranks(size, 1000 + static_cast<uint64_t>(size));
    std::map<uint64_t, model::FileRecord> expected;
    std::map<uint64_t, std::vector<uint64_t>> times;
    for (const auto& of_rank : records) {
      for (const auto& record : of_rank) {
        const auto [place, fresh] = expected.emplace(key_of(record), record);
        if (!fresh) merge(place->second, record);
        using namespace model::counter;
        times[key_of(record)].push_back(record[read_ns] + record[write_ns] + record[meta_ns]);
      }
    }
    std::map<uint64_t, GroupRecord> found;
    base::simulate_ranks(size, [&](Communicator& ranks) {
      Parcels mine;
      const auto rank = static_cast<uint32_t>(ranks.rank());
      for (const auto& record : records[rank]) mine.add(key_of(record), GroupRecord(record, rank + 1, rank));
      const auto owned = bring_to_owners(ranks, std::move(mine));
      ASSERT_TRUE(owned.ok()) << owned.message();
      for (size_t i = 0; i < owned->size(); ++i) {
        auto group = decode_group(owned->encoded(i));
        ASSERT_TRUE(group.ok());
        EXPECT_TRUE(found.emplace(owned->key(i), std::move(*group)).second) << "two owners";
      }
    });
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [key, group] : found) {
      const model::FileRecord& wanted = expected.at(key);
      EXPECT_EQ(group.record.path, wanted.path);
      EXPECT_EQ(group.record.counters, wanted.counters);
      EXPECT_EQ(group.record.sizes, wanted.sizes);
      EXPECT_EQ(group.record.common_strides, wanted.common_strides);
      const std::vector<uint64_t>& of_ranks = times[key];
      EXPECT_EQ(group.spread.ranks, of_ranks.size());
      EXPECT_EQ(group.spread.time_ns.least, *std::min_element(of_ranks.begin(), of_ranks.end()));
      EXPECT_EQ(group.spread.time_ns.most, *std::max_element(of_ranks.begin(), of_ranks.end()));
    }
  }
}

TEST(BringToOwners, NoRankGetsMuchMoreThanItGives) {
  for (int size : {64, 1024}) {
    const base::Simulation done = base::simulate_ranks(size, [&](Communicator& ranks) {
      std::mt19937_64 random(7);
      Parcels mine;
      const model::FileRecord record = random_record(random, "/one");
      const auto rank = static_cast<uint32_t>(ranks.rank());
      mine.add(key_of(record), GroupRecord(record, rank + 1, rank));
      ASSERT_TRUE(bring_to_owners(ranks, std::move(mine)).ok());
    });
    EXPECT_LT(done.most_received, 12 * 400u) << "of one record, at most one a step";
  }
}

TEST(GroupRecord, EveryDamageIsAnError) {
  std::mt19937_64 random(3);
  const model::FileRecord record = random_record(random, "/a/file");
  std::vector<uint8_t> bytes;
  encode(GroupRecord(record, 9, 4), &bytes);
  ASSERT_TRUE(decode_group(bytes).ok());
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decode_group({bytes.data(), length}).ok()) << length;
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> damaged = bytes;
    for (uint64_t n = random() % 3 + 1; n > 0; --n) damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    (void)decode_group(damaged);  // whatever it says, it stays inside
  }
}

TEST(RankSet, JoinsRanges) {
  RankSet set(4);
  for (uint32_t rank : {0u, 2u, 1u, 9u, 3u}) set.merge(RankSet(rank));
  EXPECT_EQ(set.text(), "0-4,9");
  for (uint32_t rank = 20; rank < 400; rank += 2) set.merge(RankSet(rank));
  EXPECT_TRUE(set.cut());
  EXPECT_EQ(set.ranges().size(), RankSet::kMost);
  EXPECT_TRUE(set.text().ends_with(",..."));
}

TEST(RankSpread, MergesLikeAllAtOnce) {
  RankSpread left(0, 10, 5), right(2, 30, 1);
  left.merge(RankSpread(1, 20, 9));
  right.merge(RankSpread(3, 40, 9));
  left.merge(right);
  EXPECT_EQ(left.ranks, 4u);
  EXPECT_DOUBLE_EQ(left.bytes.mean, 25);
  EXPECT_DOUBLE_EQ(left.bytes.squares / 4, 125);
  EXPECT_EQ(left.slowest, 1u);
  EXPECT_EQ(left.fastest, 2u);
  EXPECT_EQ(left.who.text(), "0-3");
}

}  // namespace
}  // namespace headrace::capture
