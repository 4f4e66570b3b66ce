#pragma once
// What a location is inside of while its events are gone through, with when it began.

#include <cstdint>
#include <vector>

#include "events/open_regions.h"
#include "model/event.h"

namespace headrace::events {

struct OpenSpan {
  uint32_t reference = 0;
  uint64_t begin_at_ns = kNotSeen;
  uint64_t row = kNotSeen;  // whatever the caller gave it
  uint64_t own_ns = 0;      // the same

  static constexpr uint64_t kNotSeen = ~uint64_t{0};
};

class SpanStack {
 public:
  enum class Left {
    kInnermost,  // as it should be
    kOuter,      // others were open inside of it, and are left with it
    kNone,       // it was not open
    kTooDeep,    // it was deeper than kDeepest, and passed over
  };

  /// Where events are missing: `open` as chunks say it.
  void restart(const std::vector<uint32_t>& open, uint64_t begin_at_ns = OpenSpan::kNotSeen) {
    spans_.clear();
    deeper_ = 0;
    for (const uint32_t reference : open) spans_.push_back({.reference = reference, .begin_at_ns = begin_at_ns});
  }

  void enter(const OpenSpan& span) {
    if (spans_.size() < kDeepest)
      spans_.push_back(span);
    else
      deeper_++;
  }

  /// Leaves the innermost one of this reference; `left` becomes it.
  Left leave(uint32_t reference, OpenSpan& left) {
    if (deeper_ > 0) {
      deeper_--;
      return Left::kTooDeep;
    }
    const size_t depth = spans_.size();
    for (size_t up = 0; up < depth && up < kLookedThrough; ++up) {
      if (spans_[depth - 1 - up].reference != reference) continue;
      left = spans_[depth - 1 - up];
      spans_.resize(depth - 1 - up);
      return up == 0 ? Left::kInnermost : Left::kOuter;
    }
    return Left::kNone;
  }

  const std::vector<OpenSpan>& spans() const { return spans_; }
  OpenSpan* innermost() { return spans_.empty() ? nullptr : &spans_.back(); }

 private:
  static constexpr size_t kLookedThrough = 64;  // so that hostile events cost little
  std::vector<OpenSpan> spans_;
  uint64_t deeper_ = 0;
};

inline bool is_begin(model::EventKind kind) {
  return kind == model::EventKind::kEnter || kind == model::EventKind::kIoBegin;
}
inline bool is_end(model::EventKind kind) {
  return kind == model::EventKind::kLeave || kind == model::EventKind::kIoEnd;
}

}  // namespace headrace::events
