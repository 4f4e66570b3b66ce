#pragma once
// Encodes events into the payload of a chunk (docs/formats/event-chunk.md), at 90 million events a second or more.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "events/open_regions.h"
#include "model/event.h"

namespace headrace::events {

struct EventBatch {
  std::span<const model::Event> events;       // 1 to 32,768, of one location
  std::span<const uint64_t> references;       // what the events' references stand for: content hashes
  std::span<const model::TimeClass> classes;  // of each reference
  uint8_t tick_shift = 0;                     // a tick is 1 << tick_shift nanoseconds, at most 1 << 20
  std::span<const uint8_t> above = {};        // of each reference: 1, if is_above_files(); empty: none is
};

/// Keeps about 3 MB of working memory between calls. One thread at a time; not to be used after fork by the child.
class EventEncoder {
 public:
  EventEncoder();
  ~EventEncoder();
  EventEncoder(EventEncoder&&) noexcept;
  EventEncoder& operator=(EventEncoder&&) noexcept;

  /// Appends the payload of a chunk. Times may go back; every value is kept as it is. `open`: what was open before
  /// these events, which becomes what is open behind them. kInvalid: another number of events, or references that are
  /// in no list.
  base::Status encode(const EventBatch& batch, OpenRegions& open, std::vector<uint8_t>& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headrace::events
