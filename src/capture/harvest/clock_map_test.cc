#include "capture/harvest/clock_map.h"

#include <gtest/gtest.h>

namespace headrace::capture {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kBooted = 1'700'000'000 * kSecond;  // realtime of boottime 0

/// A counter of `hertz`, started at boot.
Moment at(uint64_t ns, uint64_t hertz) {
  return {static_cast<uint64_t>(static_cast<double>(ns) / 1e9 * static_cast<double>(hertz)), ns, kBooted + ns, ns};
}

Header header_at(uint64_t start_ns, uint64_t end_ns, uint64_t hertz) {
  Header h{};
  const Moment start = at(start_ns, hertz);
  h.clock = ClockKind::kTimeStampCounter;
  h.ticks[0] = start.ticks;
  h.monotonic_ns[0] = start.monotonic_ns;
  h.realtime_ns = start.realtime_ns;
  h.boottime_ns = start.boottime_ns;
  if (end_ns != 0) {
    h.ticks[1] = at(end_ns, hertz).ticks;
    h.monotonic_ns[1] = end_ns;
  }
  return h;
}

TEST(ClockMap, UsesTheHarvestWhenTheEndIsMissing) {
  constexpr uint64_t kHertz = 2'500'000'000;
  const Header h = header_at(10 * kSecond, 0, kHertz);
  const ClockMap map(h, at(9 * kSecond, kHertz), at(20 * kSecond, kHertz));
  ASSERT_TRUE(map.known());
  EXPECT_EQ(map.start_at_ns(), kSecond);
  EXPECT_EQ(map.at_ns(0), 0u) << "never";
  EXPECT_EQ(map.at_ns(at(15 * kSecond, kHertz).ticks), 6 * kSecond);
  EXPECT_EQ(map.duration_ns(kHertz * 86400), 86400 * kSecond);
}

TEST(ClockMap, IsMonotoneAndExactOverAYear) {
  constexpr uint64_t kHertz = 3'141'592'653, kYear = 365 * 86400 * kSecond;
  const Header h = header_at(kSecond, kYear, kHertz);
  const ClockMap map(h, at(kSecond, kHertz), at(kYear, kHertz));
  uint64_t previous = 0;
  for (uint64_t step = 0; step < 1000; ++step) {
    const uint64_t now = map.at_ns(h.ticks[0] + step);
    EXPECT_GE(now, previous);
    previous = now;
  }
  EXPECT_NEAR(static_cast<double>(map.at_ns(at(kYear / 2, kHertz).ticks)), static_cast<double>(kYear / 2 - kSecond),
              1000);
}

TEST(ClockMap, AClockThatIsBehindTheJobsLeavesTimesApart) {
  constexpr uint64_t kHertz = 1'000'000'000;
  const Header h = header_at(10 * kSecond, 0, kHertz);
  const ClockMap map(h, at(15 * kSecond, kHertz), at(13 * kSecond, kHertz));  // the job begins when this is over
  EXPECT_EQ(map.start_at_ns(), 1u);
  EXPECT_EQ(map.at_ns(at(11 * kSecond, kHertz).ticks), kSecond + 1);
  EXPECT_EQ(map.at_ns(at(12 * kSecond, kHertz).ticks), 2 * kSecond + 1);
  EXPECT_EQ(map.at_monotonic(12 * kSecond), static_cast<int64_t>(2 * kSecond + 1));
}

TEST(ClockMap, StaysWithinTheJob) {
  constexpr uint64_t kHertz = 1'000'000'000;
  const Header h = header_at(10 * kSecond, 0, kHertz);
  const ClockMap map(h, at(9 * kSecond, kHertz), at(20 * kSecond, kHertz));
  EXPECT_EQ(map.at_ns(1), 1u) << "before the job";
  EXPECT_EQ(map.at_ns(UINT64_MAX / 3), 11 * kSecond) << "scribbled over: not after the harvest";
  EXPECT_EQ(map.duration_ns(UINT64_MAX), UINT64_MAX);
}

TEST(ClockMap, AfterARebootNeedsTheSpoolsOwnPairs) {
  constexpr uint64_t kHertz = 2'000'000'000;
  Moment now = at(500 * kSecond, kHertz);
  now.realtime_ns += 86400 * kSecond;  // another day, another boot
  const Moment start = at(9 * kSecond, kHertz);
  const ClockMap with(header_at(10 * kSecond, 12 * kSecond, kHertz), start, now);
  ASSERT_TRUE(with.known());
  EXPECT_EQ(with.at_ns(at(11 * kSecond, kHertz).ticks), 2 * kSecond);
  const ClockMap without(header_at(10 * kSecond, 0, kHertz), start, now);
  EXPECT_FALSE(without.known());
  EXPECT_EQ(without.at_ns(at(11 * kSecond, kHertz).ticks), 0u);
  EXPECT_EQ(without.start_at_ns(), kSecond);
}

TEST(ClockMap, RefusesRatesNoClockHas) {
  Header h = header_at(10 * kSecond, 11 * kSecond, 1'000'000'000);
  h.ticks[1] = h.ticks[0] + 3;
  Moment now = at(20 * kSecond, 1'000'000'000);
  now.ticks = h.ticks[0] - 1;  // went back
  EXPECT_FALSE(ClockMap(h, at(9 * kSecond, 1'000'000'000), now).known());
}

TEST(Moment, ClocksAdvanceTogether) {
  const Moment a = Moment::now(), b = Moment::now();
  EXPECT_LE(a.monotonic_ns, b.monotonic_ns);
  EXPECT_LE(a.boottime_ns, b.boottime_ns);
  EXPECT_GT(a.realtime_ns, kBooted / 2);
}

TEST(ClockMap, WhatWasConvertedStaysAsItWas) {
  constexpr uint64_t kHertz = 2'500'000'000;
  const Header h = header_at(10 * kSecond, 0, kHertz);
  std::vector<ClockPoint> points;
  std::vector<uint64_t> before;
  for (uint64_t flush = 1; flush < 6; ++flush) {
    Moment now = at((10 + flush) * kSecond, kHertz);
    now.monotonic_ns += flush * 37 % 90;  // a reading is never exact
    ClockMap map(h, at(9 * kSecond, kHertz), now);
    map.go_on_from(points, now);
    points = map.points();
    ASSERT_EQ(points.size(), flush + 1);
    uint64_t latest = 0;
    for (uint64_t ns = 10 * kSecond; ns < (10 + flush) * kSecond; ns += kSecond / 7) {
      const uint64_t time = map.at_ns(at(ns, kHertz).ticks);
      const size_t number = (ns - 10 * kSecond) / (kSecond / 7);
      const bool told_before = number < before.size() && ns < (9 + flush) * kSecond;
      EXPECT_EQ(time, told_before ? before[number] : time) << flush << " " << ns;
      EXPECT_GE(time, latest);
      EXPECT_LE(std::max(time, ns - 9 * kSecond) - std::min(time, ns - 9 * kSecond), 100u);
      if (number == before.size()) before.push_back(time);
      latest = time;
    }
  }
}

}  // namespace
}  // namespace headrace::capture
