#include "capture/harvest/event_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/hash.h"
#include "events/event_chunk.h"

namespace headrace::capture {
namespace {

using model::Event;

/// A call as a recorder tells of it: when it is over.
struct Call {
  uint64_t begin, end;
};

/// `count` calls inside of calls, by their ends, of which each has up to three inside.
std::vector<Call> made_calls(uint64_t seed, size_t count) {
  std::vector<Call> calls;
  std::vector<std::pair<uint64_t, uint64_t>> open;  // begin, and how many it is to have inside
  for (uint64_t time = 1; calls.size() < count;) {
    const uint64_t chance = base::mix(seed, time + calls.size() * 77);
    time += chance % 3;
    if (open.empty() || (open.back().second > 0 && open.size() < 9)) {
      if (!open.empty()) open.back().second--;
      open.emplace_back(time, chance >> 8 & 3);
    } else {
      calls.push_back({open.back().first, time});
      open.pop_back();
    }
  }
  return calls;
}

void add(const Call& call, uint64_t number, std::vector<Event>& to) {
  to.push_back({call.begin, number, 0, 0, 0});
  to.push_back({call.end, number, 1, 0, 0});
}

bool by_time(const Event& a, const Event& b) { return a.time < b.time; }

TEST(EventOrder, IsThatOfTimeHoweverManyComeAtOnce) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const std::vector<Call> calls = made_calls(seed, seed < 10 ? 3'000 : 150'000);
    std::vector<Event> expected;
    for (size_t i = 0; i < calls.size(); ++i) add(calls[i], i, expected);
    std::stable_sort(expected.begin(), expected.end(), by_time);
    std::vector<uint64_t> earliest(calls.size() + 1, ~uint64_t{0});
    for (size_t i = calls.size(); i-- > 0;) earliest[i] = std::min(earliest[i + 1], calls[i].begin);

    EventOrder order;
    std::vector<Event> got;
    for (size_t i = 0, next = 0; i <= calls.size(); i = next) {
      next = std::min<size_t>(calls.size(), i + 1 + base::mix(seed, i) % 5'000);
      for (size_t each = i; each < next; ++each) add(calls[each], each, order.waiting());
      const auto taken = order.take(earliest[next], next == calls.size());
      got.insert(got.end(), taken.begin(), taken.end());
      if (next == calls.size()) break;
      EXPECT_EQ(taken.size() % events::kMostEvents, 0u);
    }
    EXPECT_EQ(got, expected) << seed;
  }
}

TEST(EventOrder, KeepsLittleOfCallsThatFollowEachOther) {
  EventOrder order;
  size_t most = 0;
  for (uint64_t i = 0; i < 400'000; ++i) {
    add({10 * i, 10 * i + 5}, i, order.waiting());
    if (i % 4096 != 0) continue;
    (void)order.take(10 * (i + 1), false);
    most = std::max(most, order.waiting().size());
  }
  EXPECT_LT(most, 3 * events::kMostEvents);
}

TEST(EventOrder, PutsASendBehindTheCallThatItBeginsWith) {
  EventOrder order;
  order.waiting().push_back({5, 1, 0, model::kind_and_reference(model::EventKind::kSend, 0), 0});
  order.waiting().push_back({5, 2, 0, model::kind_and_reference(model::EventKind::kEnter, 0), 0});
  const auto taken = order.take(0, true);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].kind(), model::EventKind::kEnter);
}

}  // namespace
}  // namespace headrace::capture
