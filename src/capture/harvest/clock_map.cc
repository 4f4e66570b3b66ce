#include "capture/harvest/clock_map.h"

#include <algorithm>

#include "base/clock.h"

namespace headrace::capture {
namespace {

__extension__ using Wide = __int128;

uint64_t counter_ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

// Counters run at 1 MHz to 20 GHz; a rate outside means that the two readings are not of one clock.
bool plausible(uint64_t ns, uint64_t ticks) {
  return ns > 0 && ticks > 0 && ticks / 20 <= ns && static_cast<Wide>(ns) <= static_cast<Wide>(ticks) * 1000;
}

// Clocks are set while machines run, but rarely by minutes.
bool same_boot(int64_t booted, int64_t other) {
  constexpr int64_t kTolerance = int64_t{120} * 1'000'000'000;
  const Wide difference = static_cast<Wide>(booted) - other;
  return difference < kTolerance && difference > -kTolerance;
}

uint64_t clamp_at(Wide ns, uint64_t latest) {
  if (ns < 1) return 1;
  return ns > static_cast<Wide>(latest) ? std::max<uint64_t>(latest, 1) : static_cast<uint64_t>(ns);
}

}  // namespace

Moment Moment::now() {
  // The counter is read between two readings of the kernel's clock; the tightest of a few rounds is kept, because the
  // process may lose the processor in between.
  Moment best;
  uint64_t tightest = UINT64_MAX;
  for (int round = 0; round < 4; ++round) {
    const uint64_t before = base::clock_ns(CLOCK_MONOTONIC);
    const uint64_t ticks = counter_ticks();
    const uint64_t after = base::clock_ns(CLOCK_MONOTONIC);
    if (after - before < tightest) {
      tightest = after - before;
      best.ticks = ticks;
      best.monotonic_ns = before + (after - before) / 2;
    }
  }
  best.realtime_ns = base::clock_ns(CLOCK_REALTIME);
  best.boottime_ns = base::clock_ns(CLOCK_BOOTTIME);
  return best;
}

Moment Moment::at(uint64_t realtime_ns) {
  const Moment moment = now();
  const auto ago = static_cast<int64_t>(moment.realtime_ns - realtime_ns);  // negative: that clock runs behind
  const auto back = [&](uint64_t ns) {
    const int64_t then = static_cast<int64_t>(ns) - ago;
    return then > 0 ? static_cast<uint64_t>(then) : 0;  // before this machine was booted
  };
  return {0, back(moment.monotonic_ns), realtime_ns, back(moment.boottime_ns)};
}

ClockMap::ClockMap(const Header& header, const Moment& start, const Moment& now) : origin_ticks_(header.ticks[0]) {
  const int64_t booted = static_cast<int64_t>(header.realtime_ns - header.boottime_ns);
  const bool same_as_job = same_boot(booted, start.booted_at_ns());
  const bool same_as_now = same_boot(booted, now.booted_at_ns()) && now.monotonic_ns > header.monotonic_ns[0];
  latest_at_ns_ = clamp_at(static_cast<Wide>(now.realtime_ns) - start.realtime_ns, UINT64_MAX);
  if (same_as_job && same_as_now) {
    latest_at_ns_ = clamp_at(static_cast<Wide>(now.monotonic_ns) - start.monotonic_ns, UINT64_MAX);
  }
  const Wide began = same_as_job ? static_cast<Wide>(header.monotonic_ns[0]) - start.monotonic_ns
                                 : static_cast<Wide>(header.realtime_ns) - start.realtime_ns;
  start_at_ns_ = clamp_at(began, latest_at_ns_);

  // By a calendar clock that is behind the one of the job's start, a process begins before that. What it does then is
  // not to fall on one moment.
  if (same_as_now) latest_at_ns_ = std::max(latest_at_ns_, start_at_ns_ + (now.monotonic_ns - header.monotonic_ns[0]));

  begin_ = {header.ticks[0], header.monotonic_ns[0], start_at_ns_};
  if (!same_as_now) end_ = {header.ticks[1], header.monotonic_ns[1], 0};
  counts_ns_ = header.clock == ClockKind::kMonotonic;
  if (counts_ns_) {
    numerator_ = denominator_ = 1;
    return;
  }
  if (same_as_now && plausible(now.monotonic_ns - header.monotonic_ns[0], now.ticks - header.ticks[0])) {
    numerator_ = now.monotonic_ns - header.monotonic_ns[0];
    denominator_ = now.ticks - header.ticks[0];
    return;
  }
  if (header.ticks[1] != 0 &&
      plausible(header.monotonic_ns[1] - header.monotonic_ns[0], header.ticks[1] - header.ticks[0])) {
    numerator_ = header.monotonic_ns[1] - header.monotonic_ns[0];
    denominator_ = header.ticks[1] - header.ticks[0];
  }
}

void ClockMap::go_on_from(const std::vector<ClockPoint>& points, const Moment& now) {
  if (!known()) return;
  points_ = points;
  if (points_.empty()) points_.push_back(begin_);
  const bool other_boot = end_.ticks != 0;
  points_.push_back(other_boot ? point_at(end_.ticks, end_.monotonic_ns)
                               : point_at(counts_ns_ ? now.monotonic_ns : now.ticks, now.monotonic_ns));
}

ClockPoint ClockMap::point_at(uint64_t ticks, uint64_t monotonic_ns) const {
  const ClockPoint& from = points_.back();
  if (ticks <= from.ticks || monotonic_ns <= from.monotonic_ns) return from;
  return {ticks, monotonic_ns, from.at_ns + (monotonic_ns - from.monotonic_ns)};
}

uint64_t ClockMap::at_ns(uint64_t ticks) const {
  if (ticks == 0 || !known()) return 0;
  if (points_.size() > 1 && static_cast<int64_t>(ticks - points_.front().ticks) > 0) {
    auto behind = std::partition_point(points_.begin() + 1, points_.end() - 1,
                                       [&](const ClockPoint& point) { return point.ticks < ticks; });
    const ClockPoint &from = *(behind - 1), &to = *behind;
    const Wide run = std::max<uint64_t>(to.ticks - from.ticks, 1);
    const Wide product = static_cast<Wide>(ticks - from.ticks) * static_cast<Wide>(to.at_ns - from.at_ns);
    return clamp_at(static_cast<Wide>(from.at_ns) + product / run, std::max(latest_at_ns_, to.at_ns));
  }
  // The difference is signed: a time may lie shortly before the spool's creation.
  const auto since = static_cast<int64_t>(ticks - origin_ticks_);
  const Wide product = static_cast<Wide>(since) * static_cast<Wide>(numerator_);
  return clamp_at(static_cast<Wide>(start_at_ns_) + product / static_cast<Wide>(denominator_), latest_at_ns_);
}

int64_t ClockMap::at_monotonic(uint64_t clock_ns) const {
  const ClockPoint& from = points_.empty() ? begin_ : points_.front();
  return static_cast<int64_t>(from.at_ns) + static_cast<int64_t>(clock_ns - from.monotonic_ns);
}

uint64_t ClockMap::duration_ns(uint64_t ticks) const {
  if (!known()) return 0;
  __extension__ using Unsigned = unsigned __int128;
  const Unsigned ns = static_cast<Unsigned>(ticks) * numerator_ / denominator_;
  return ns > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(ns);
}

}  // namespace headrace::capture
