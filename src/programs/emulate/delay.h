// Lets a call take as long as it would far away. Any thread, also in signal handlers; leaves errno as it is.
#pragma once
#include <cstdint>

namespace headrace::emulate {

enum class Kind { kReading, kWriting, kNames };

/// Made before the real call, used after it.
///
/// A sleep ends late, and with many processes on few processors by more than it was to last. What a thread was late is
/// taken off its next delays of the same kind: the sum of each kind is right, and never too small, though
/// a single one may be too short. Nothing turns in a circle.
class Delay {
 public:
  explicit Delay(Kind kind);
  /// When the call was made, had all before it ended in time. ns of CLOCK_MONOTONIC.
  uint64_t arrival() const { return arrival_; }
  void until(uint64_t deadline) const;

 private:
  const Kind kind_;
  const uint64_t arrival_;
};

}  // namespace headrace::emulate
