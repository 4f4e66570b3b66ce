#include "capture/recorder/pending_match.h"

#include <errno.h>

#include "capture/recorder/descriptors.h"
#include "capture/recorder/transfer.h"

namespace headrace::capture {
namespace {

enum class Fit : uint8_t { kNot, kPartly, kWell, kWhole };

Fit fit_of_error(const PendingOperation& p, int64_t error) {
  if (error == -ECANCELED) return p.follows ? Fit::kWhole : Fit::kPartly;
  if (p.purpose == Purpose::kNothing) return Fit::kNot;
  if (error == -EBADF && is_on_file(p.purpose) && !is_tracked(p.tag)) return Fit::kWhole;
  return Fit::kPartly;
}

Fit fit_of(const PendingOperation& p, int64_t result) {
  if (result < 0) return fit_of_error(p, result);
  const auto bytes = static_cast<uint64_t>(result);
  if (moves_bytes(p.purpose)) {
    if (p.silent) return bytes < p.asked ? Fit::kPartly : Fit::kNot;
    if (p.asked == kAsMoved || bytes < p.asked) return Fit::kPartly;
    return bytes == p.asked ? Fit::kWhole : Fit::kNot;
  }
  if (p.silent) return Fit::kNot;
  if (!gives_zero(p.purpose)) return Fit::kWell;
  return result == 0 ? Fit::kWhole : Fit::kNot;
}

bool is_same_file(const PendingOperation& a, const PendingOperation& b) {
  return a.tag == b.tag && !changes_names(a.purpose) && !changes_names(b.purpose);
}

/// Calls `see` with each that may be over by now, until it returns false.
template <typename See>
void each_ready(PendingTable& pending, uint64_t key, See see) {
  const PendingOperation* before = nullptr;
  pending.each_of(key, [&](PendingOperation* p) {
    const bool waits = p->follows && before && before->serial + 1 == p->serial && !before->silent;
    before = p;
    return waits || see(p);
  });
}

}  // namespace

void compare_with(const PendingOperation* previous, PendingOperation* added) {
  added->mixed =
      previous && (previous->mixed || !is_same_file(*previous, *added) || previous->purpose != added->purpose ||
                   previous->asked != added->asked || previous->silent || added->silent);
}

Match match_result(PendingTable& pending, uint64_t key, int64_t result) {
  PendingOperation* oldest = pending.find(key);
  if (!oldest || !pending.newest(key)->mixed) return {oldest, true, true};
  constexpr uint32_t kMostCompared = 512;  // of more, looking would be felt
  uint32_t compared = 0;
  Fit best = Fit::kNot;
  Match match{oldest, false, false};
  each_ready(pending, key, [&](PendingOperation* p) {
    const Fit fit = fit_of(*p, result);
    if (fit != Fit::kNot && fit > best) {
      best = fit;
      match = {p, true, true};
    } else if (fit != Fit::kNot && fit == best) {
      match.same_file &= is_same_file(*p, *match.operation);
      match.same_kind &= p->purpose == match.operation->purpose;
    }
    return ++compared < kMostCompared;
  });
  if (best == Fit::kNot) return match;
  if (best != Fit::kWhole) {  // one that fitted as well may have been taken for it before
    match.same_file &= !match.operation->unsure_file;
    match.same_kind &= !match.operation->unsure_kind;
    return match;
  }
  if (match.same_file && match.same_kind) return match;
  // Each gave all that it was asked for: sums are right whichever it is, as long as the others do so too.
  compared = 0;
  each_ready(pending, key, [&](PendingOperation* p) {
    if (fit_of(*p, result) == Fit::kWhole) {
      p->unsure_file |= !match.same_file;
      p->unsure_kind |= !match.same_kind;
    }
    return ++compared < kMostCompared;
  });
  return {match.operation, true, true};
}

}  // namespace headrace::capture
