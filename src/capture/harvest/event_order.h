// Puts the events of a thread in the order of time while they come in that of their ends: a call comes when it is
// over, behind what it did inside.
//
// In memory stays what a call that is still to come may begin before, and a chunk. One thread at a time.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/event.h"

namespace headrace::capture {

class EventOrder {
 public:
  /// Events are added to these, at the end.
  std::vector<model::Event>& waiting() { return waiting_; }

  /// All that is before `time_ns`, which nothing that comes later is, in order: as many whole chunks as there are, or
  /// with the last of them, `all`. Valid until more are added.
  std::span<model::Event> take(uint64_t time_ns, bool all);

 private:
  std::vector<model::Event> waiting_;
  size_t taken_ = 0;        // of the first of them, not waiting any more
  size_t left_ = 0;         // when they were put in order the last time
  uint64_t looked_ns_ = 0;  // the time that was asked for then
};

}  // namespace headrace::capture
