// From ticks of a traced process's clock to nanoseconds since the job's start.
//
// Pure values; safe in any thread. Rule: a line through two (ticks, CLOCK_MONOTONIC) pairs, the first from the creation
// of the spool, the second from as late as possible. Its error is that of one clock reading over the process's life.
#pragma once
#include <cstdint>
#include <vector>

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

/// A moment of a process's life that is in a trace already: what was converted before must not be converted otherwise
/// now that more is known of its clock.
struct ClockPoint {
  uint64_t ticks = 0, monotonic_ns = 0, at_ns = 0;
};

class ClockMap {
 public:
  /// `start`: the job's; `now`: of the harvest. Works on spools of an earlier boot or an adjusted clock as far as they
  /// allow: then known() may be false, and every time reads 0 except the process's start.
  ClockMap(const Header& header, const Moment& start, const Moment& now);

  /// Goes on from points that others converted by, in their order: between two of them by the line through both, behind
  /// the last by that to `now`. Without points it begins with the process's first moment.
  void go_on_from(const std::vector<ClockPoint>& points, const Moment& now);
  /// The points that are converted by: for those who go on.
  const std::vector<ClockPoint>& points() const { return points_; }

  /// Whether ticks can be converted.
  bool known() const { return denominator_ != 0; }
  /// The process's start, ns since the job's, at least 1.
  uint64_t start_at_ns() const { return start_at_ns_; }
  /// 0 (never) stays 0; anything else is at least 1 and at most the time of the harvest. Monotone.
  uint64_t at_ns(uint64_t ticks) const;
  /// When CLOCK_MONOTONIC read so much; negative: before the job's start.
  int64_t at_monotonic(uint64_t clock_ns) const;
  /// A duration; sums of many durations convert as well as one.
  uint64_t duration_ns(uint64_t ticks) const;

 private:
  uint64_t origin_ticks_;
  uint64_t start_at_ns_ = 1;
  uint64_t latest_at_ns_ = UINT64_MAX;
  uint64_t numerator_ = 0, denominator_ = 0;  // ns per tick
  bool counts_ns_ = false;                    // ticks are ns of CLOCK_MONOTONIC
  ClockPoint begin_ = {}, end_ = {};          // end: of a process that another boot of the machine saw; 0: not known
  std::vector<ClockPoint> points_ = {};

  ClockPoint point_at(uint64_t ticks, uint64_t monotonic_ns) const;
};

}  // namespace headrace::capture
