// How an event lies in a block of the file of events (event_layout.h): what nearly all of them have, in 32 bytes.
//
// Fresh pages are most of what an event costs, so there are to be few. One with a value that does not fit, as a call
// that took longer than a second or moved another number of bytes than 32 bits can tell, takes twice the room and is
// there as it is.
//
//   word 0   bits 0–47: start − the block's base + 2^47; 48–63: function
//   word 1   bits 0–47: place + 1, 0: not known;         48–55: kind; 56–63: error
//   word 2   bits 0–31: end − start;                     32–63: asked
//   word 3   bits 0–31: moved;                           32–63: handle
//
// A counter's value takes all bits there are, and has word 2 for itself: the kind is kValue then, for kCounter, and end
// − start and `asked` are 0. With kWhole in place of the kind, words 2 to 7 are the RawEvent, and the others nothing.
#pragma once
#include <cstdint>
#include <cstring>

#include "capture/event_layout.h"

namespace headrace::capture {

inline constexpr uint64_t kWhole = 255, kValue = 254;  // no RawKinds
inline constexpr unsigned kShortBits = 48;
inline constexpr uint64_t kBefore = uint64_t{1} << (kShortBits - 1), kShort = (uint64_t{1} << kShortBits) - 1;
static_assert(sizeof(RawEvent) == 6 * sizeof(uint64_t));

/// Writes an event to a place with room for two, and returns how many of them it takes.
inline uint32_t pack(const RawEvent& event, uint64_t base, PackedEvent* to) {
  const uint64_t since = event.start - base + kBefore, place = event.place + 1, lasted = event.end - event.start;
  uint64_t kind = static_cast<uint64_t>(event.kind), sizes = lasted | event.asked << 32, moved = event.moved;
  if (((lasted | event.asked | event.moved) >> 32 | (since | place) >> kShortBits) != 0) [[unlikely]] {
    if (event.kind != RawKind::kCounter || (lasted | event.asked | (since | place) >> kShortBits) != 0) {
      to->words[0] = 0;
      to->words[1] = kWhole << kShortBits;
      std::memcpy(static_cast<void*>(to->words + 2), &event, sizeof event);
      return 2;
    }
    kind = kValue;
    sizes = event.moved;
    moved = 0;
  }
  to->words[0] = since | uint64_t{event.function} << kShortBits;
  to->words[1] = place | kind << kShortBits | uint64_t{event.error} << 56;
  to->words[2] = sizes;
  to->words[3] = moved | uint64_t{event.handle} << 32;
  return 1;
}

inline bool is_whole(const PackedEvent& event) { return (event.words[1] >> kShortBits & 255) == kWhole; }

/// Of one that is_whole() the next one is there too.
inline RawEvent unpack(const PackedEvent* from, uint64_t base) {
  RawEvent event;
  if (is_whole(*from)) {
    std::memcpy(static_cast<void*>(&event), reinterpret_cast<const char*>(from) + 2 * sizeof(uint64_t), sizeof event);
    return event;
  }
  const uint64_t* words = from->words;
  event.start = (words[0] & kShort) + base - kBefore;
  event.end = event.start + static_cast<uint32_t>(words[2]);
  event.place = (words[1] & kShort) - 1;
  event.asked = words[2] >> 32;
  event.moved = static_cast<uint32_t>(words[3]);
  event.handle = static_cast<uint32_t>(words[3] >> 32);
  event.function = static_cast<uint16_t>(words[0] >> kShortBits);
  event.kind = static_cast<RawKind>(words[1] >> kShortBits & 255);
  event.error = static_cast<uint8_t>(words[1] >> 56);
  if (static_cast<uint64_t>(event.kind) == kValue) {
    event.kind = RawKind::kCounter;
    event.end = event.start;
    event.asked = 0;
    event.moved = words[2];
  }
  return event;
}

}  // namespace headrace::capture
