#pragma once
// The columns of encoded events (docs/formats/event-chunk.md), before they are compressed. Internal to events.

#include <cstdint>

namespace headrace::events {

enum EventColumn : unsigned {
  kTokens,        // for each event that was not predicted: how many were before it, what was wrong, its signature
  kSignatures,    // eight bytes for each new signature
  kSizes,         // varint for each size that was not predicted
  kPlaceLengths,  // length in bits, a byte, for each place that was not predicted
  kGapLengths,    // length in bits, a byte, of what each gap differs by
  kBits,          // the bits themselves of gaps and places, in the order of events
};
inline constexpr unsigned kColumns = 6;

/// What was wrong, in a token.
enum Miss : uint8_t { kOtherSignature = 1, kOtherSize = 2, kOtherPlace = 4 };

}  // namespace headrace::events
