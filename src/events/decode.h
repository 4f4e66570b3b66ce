#pragma once
// Decodes the events of a chunk (docs/formats/event-chunk.md), at 140 million events a second or more.
// Every byte is taken for hostile.

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "events/event_chunk.h"
#include "model/event.h"

namespace headrace::events {

/// Keeps working memory between calls, of which most is bounded by what one chunk can hold (3 MB). One thread at a
/// time.
class EventDecoder {
 public:
  EventDecoder();
  ~EventDecoder();
  EventDecoder(EventDecoder&&) noexcept;
  EventDecoder& operator=(EventDecoder&&) noexcept;

  /// Fills `events`, whose size is how many there should be (1 to 32,768), with what encode() was given, but for
  /// references, which count in the chunk's own list. kCorrupt: the bytes contradict themselves or each other. kLimit:
  /// another number of events.
  base::Status decode(const EventChunk& chunk, std::span<model::Event> events);

 private:
  struct State;
  std::unique_ptr<State> state_;  // made when it is first needed
};

}  // namespace headrace::events
