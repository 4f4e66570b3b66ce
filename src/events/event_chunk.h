#pragma once
// The payload of a chunk of events, taken apart (docs/formats/event-chunk.md). Every byte is taken for hostile.

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "events/summary.h"
#include "format/chunk.h"
#include "model/event.h"

namespace headrace::events {

inline constexpr uint32_t kEventsKind = format::kind_of("EVNT");
inline constexpr uint16_t kEventsVersion = 1;
inline constexpr uint8_t kLongestTick = 20;        // a millisecond, as a power of two of nanoseconds
inline constexpr uint32_t kMostEvents = 1u << 15;  // of one chunk: larger ones save 1 to 5 %, and lose more when torn

struct EventChunk {
  uint8_t tick_shift = 0;
  std::vector<uint64_t> references;       // what the events' references stand for
  std::vector<model::TimeClass> classes;  // of each
  std::vector<uint32_t> open;             // references of what was open before, outermost first
  Summary summary;
  base::Bytes columns;  // for EventDecoder; a view into the payload
};

/// kUnsupported: a newer version made such a chunk. kCorrupt: it has not as many events as a chunk can have.
base::Status check_events_header(const format::ChunkHeader& header);

/// kCorrupt: these bytes are none. Decodes no events.
base::Result<EventChunk> take_apart(base::Bytes payload);

/// The same of the first bytes of a payload, whose own checksum it checks; `columns` are what is left of them.
/// kTruncated: so few bytes are no head. kCorrupt.
base::Result<EventChunk> take_head(base::Bytes beginning);

}  // namespace headrace::events
