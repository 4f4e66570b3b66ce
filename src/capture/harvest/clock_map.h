// From ticks of a traced process's clock to nanoseconds since the job's start.
//
// Pure values; safe in any thread. Rule: a line through two (ticks, CLOCK_MONOTONIC) pairs, the first from the creation
// of the spool, the second from as late as possible. Its error is that of one clock reading over the process's life.
#pragma once
#include <cstdint>

#include "capture/spool_layout.h"

namespace headrace::capture {

/// A moment on every clock that matters, taken in one place.
struct Moment {
  uint64_t ticks = 0;         // of the processor's counter
  uint64_t monotonic_ns = 0;  // CLOCK_MONOTONIC
  uint64_t realtime_ns = 0;   // CLOCK_REALTIME
  uint64_t boottime_ns = 0;   // CLOCK_BOOTTIME

  static Moment now();
  /// The moment when the real-time clock read so much; `ticks` is not known. As exact as that clock is even.
  static Moment at(uint64_t realtime_ns);
  /// When the machine was booted, by its calendar clock: tells moments of different boots apart.
  int64_t booted_at_ns() const { return static_cast<int64_t>(realtime_ns - boottime_ns); }
};

class ClockMap {
 public:
  /// `start`: the job's; `now`: of the harvest. Works on spools of an earlier boot or an adjusted clock as far as they
  /// allow: then known() may be false, and every time reads 0 except the process's start.
  ClockMap(const Header& header, const Moment& start, const Moment& now);

  /// Whether ticks can be converted.
  bool known() const { return denominator_ != 0; }
  /// The process's start, ns since the job's, at least 1.
  uint64_t start_at_ns() const { return start_at_ns_; }
  /// 0 (never) stays 0; anything else is at least 1 and at most the time of the harvest. Monotone.
  uint64_t at_ns(uint64_t ticks) const;
  /// A duration; sums of many durations convert as well as one.
  uint64_t duration_ns(uint64_t ticks) const;

 private:
  uint64_t origin_ticks_;
  uint64_t start_at_ns_ = 1;
  uint64_t latest_at_ns_ = UINT64_MAX;
  uint64_t numerator_ = 0, denominator_ = 0;  // ns per tick
};

}  // namespace headrace::capture
