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

  static constexpr uint64_t kNotSeen = ~uint64_t{0}, kShown = kNotSeen - 1;  // shown: its row has its end already
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
    while (!spans_.empty()) pop();
    deeper_ = 0;
    for (const uint32_t reference : open) push({.reference = reference, .begin_at_ns = begin_at_ns});
  }

  void enter(const OpenSpan& span) {
    if (spans_.size() < kDeepest)
      push(span);
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
      while (spans_.size() > depth - 1 - up) pop();
      return up == 0 ? Left::kInnermost : Left::kOuter;
    }
    return Left::kNone;
  }

  const std::vector<OpenSpan>& spans() const { return spans_; }
  /// It is inside of one of this reference whose begin is known: what calls itself is that more than once.
  bool is_inside(uint32_t reference) const { return reference < open_.size() && open_[reference] > 0; }
  /// Those of a row whose end was found before its turn.
  void set_shown(uint64_t row) {
    for (OpenSpan& span : spans_)
      if (span.row == row) span.row = OpenSpan::kShown;
  }
  OpenSpan* innermost() { return spans_.empty() ? nullptr : &spans_.back(); }

 private:
  static constexpr size_t kLookedThrough = 64;  // so that hostile events cost little

  void push(const OpenSpan& span) {
    if (span.reference >= open_.size()) open_.resize(span.reference + size_t{1});
    open_[span.reference] += span.begin_at_ns != OpenSpan::kNotSeen;
    spans_.push_back(span);
  }
  void pop() {
    open_[spans_.back().reference] -= spans_.back().begin_at_ns != OpenSpan::kNotSeen;
    spans_.pop_back();
  }

  std::vector<OpenSpan> spans_;
  std::vector<uint32_t> open_;  // how many are open whose begin is known, by reference
  uint64_t deeper_ = 0;
};

inline bool is_begin(model::EventKind kind) {
  return kind == model::EventKind::kEnter || kind == model::EventKind::kIoBegin;
}
inline bool is_end(model::EventKind kind) {
  return kind == model::EventKind::kLeave || kind == model::EventKind::kIoEnd;
}

}  // namespace headrace::events
