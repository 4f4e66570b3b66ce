#include "base/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/simulated_ranks.h"

namespace headrace::base {
namespace {

constexpr int kSizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 64, 100};

TEST(Collectives, BroadcastReachesEveryone) {
  for (int size : kSizes) {
    int right = 0;
    simulate_ranks(size, [&](Communicator& ranks) {
      std::vector<uint8_t> bytes;
      if (ranks.rank() == 0) bytes = {1, 2, 3};
      EXPECT_TRUE(broadcast(ranks, &bytes).ok());
      right += bytes == std::vector<uint8_t>{1, 2, 3} ? 1 : 0;
    });
    EXPECT_EQ(right, size);
  }
}

TEST(Collectives, AllReduceGivesEveryoneTheResult) {
  for (int size : kSizes) {
    simulate_ranks(size, [&](Communicator& ranks) {
      uint64_t values[] = {static_cast<uint64_t>(ranks.rank()), 1};
      EXPECT_TRUE(all_reduce(ranks, values, [](uint64_t a, uint64_t b) { return a + b; }).ok());
      EXPECT_EQ(values[0], static_cast<uint64_t>(size * (size - 1) / 2));
      EXPECT_EQ(values[1], static_cast<uint64_t>(size));
    });
  }
}

TEST(Collectives, AllReduceOfValuesThatBelongTogether) {
  for (int size : kSizes) {
    simulate_ranks(size, [&](Communicator& ranks) {
      // The least square distance to 2, and whose it is.
      const auto rank = static_cast<uint64_t>(ranks.rank());
      uint64_t nearest[] = {(rank - 2) * (rank - 2), rank};
      const auto add = [](std::span<uint64_t> into, std::span<const uint64_t> other) {
        if (other[0] < into[0]) std::copy(other.begin(), other.end(), into.begin());
      };
      EXPECT_TRUE(all_reduce(ranks, nearest, add).ok());
      EXPECT_EQ(nearest[1], static_cast<uint64_t>(std::min(2, size - 1)));
    });
  }
}

TEST(Collectives, GatherKeepsTheOrderOfTheRanks) {
  for (int size : kSizes) {
    simulate_ranks(size, [&](Communicator& ranks) {
      std::vector<uint8_t> bytes(static_cast<size_t>(ranks.rank() % 3), static_cast<uint8_t>(ranks.rank()));
      std::vector<uint8_t> all;
      for (int i = 0; i < size && ranks.rank() == 0; ++i)
        all.insert(all.end(), static_cast<size_t>(i % 3), static_cast<uint8_t>(i));
      ASSERT_TRUE(gather(ranks, &bytes).ok());
      EXPECT_EQ(bytes, all);
    });
  }
}

TEST(Collectives, ExclusiveSumIsOfTheRanksBefore) {
  for (int size : kSizes) {
    simulate_ranks(size, [&](Communicator& ranks) {
      const auto rank = static_cast<uint64_t>(ranks.rank());
      const Result<uint64_t> sum = exclusive_sum(ranks, 10 * rank + 1);
      ASSERT_TRUE(sum.ok());
      EXPECT_EQ(*sum, 10 * (rank * (rank - (rank > 0 ? 1 : 0)) / 2) + rank);
    });
  }
}

TEST(Collectives, OneFailureIsEveryones) {
  simulate_ranks(6, [](Communicator& ranks) {
    const Status status = agree(ranks, ranks.rank() == 4 ? Status(Code::kNoSpace, "full") : Status());
    EXPECT_EQ(status.message(), ranks.rank() == 4 ? "full" : "1 other rank could not go on");
  });
}

TEST(Collectives, ARankThatIsGoneLeavesNobodyWaiting) {
  int failed = 0;
  simulate_ranks(8, [&](Communicator& ranks) {
    if (ranks.rank() == 3) return;
    uint64_t value = 1;
    failed += all_reduce(ranks, {&value, 1}, [](uint64_t a, uint64_t b) { return a + b; }).ok() ? 0 : 1;
  });
  EXPECT_EQ(failed, 7);
}

TEST(SimulatedRanks, MessagesAreCountedAndInOrder) {
  const Simulation simulation = simulate_ranks(2, [](Communicator& ranks) {
    std::vector<uint8_t> in;
    for (uint8_t i = 0; i < 3; ++i) {
      const Status sent = ranks.rank() == 0 ? ranks.exchange(1, Bytes(&i, 1), kNobody, nullptr) : Status();
      EXPECT_TRUE(sent.ok());
    }
    for (uint8_t i = 0; i < 3 && ranks.rank() == 1; ++i) {
      ASSERT_TRUE(ranks.exchange(kNobody, {}, 0, &in).ok());
      EXPECT_EQ(in, std::vector<uint8_t>{i});
    }
  });
  EXPECT_EQ(simulation.messages, 3u);
  EXPECT_EQ(simulation.bytes, 3u);
  EXPECT_EQ(simulation.most_received, 3u);
}

}  // namespace
}  // namespace headrace::base
