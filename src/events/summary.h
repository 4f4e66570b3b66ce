#pragma once
// What a chunk of events was about, in up to 64 bins of equal width: where overviews need no more, they decode no
// events. Values only.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "events/open_regions.h"
#include "model/event.h"

namespace headrace::events {

inline constexpr unsigned kBins = 64;

/// Time is that of the innermost region or operation. In ticks and bytes.
struct Summary {
  uint64_t begin = 0;                                                  // of the first bin: time of the first event
  uint64_t end = 0;                                                    // time of the last event
  uint8_t shift = 0;                                                   // a bin is 1 << shift ticks wide
  std::array<std::array<uint8_t, kBins>, model::kTimeClasses> part{};  // of each bin, in 255ths
  std::array<uint64_t, model::kTimeClasses> time{};                    // in all, exact
  std::array<uint64_t, kBins> read{};                                  // bytes, by the end of the operation
  std::array<uint64_t, kBins> written{};
  bool operator==(const Summary&) const = default;
};

/// Of events in the order in which they are stored; `open` is what was open before them, and becomes what is open
/// behind them. `latest`: the greatest of their times, which whoever goes through them for something else finds on the
/// way. `classes` and `above` (1: of an operation whose bytes are told again by those inside of it, which alone count;
/// none where it is empty) by reference. Times that go back count as the latest before them.
Summary summarize(std::span<const model::Event> events, uint64_t latest, std::span<const model::TimeClass> classes,
                  OpenRegions& open, std::span<const uint8_t> above = {});

/// Appends it (docs/formats/event-chunk.md). Without `begin` and `end`, which the chunk has.
void write_summary(const Summary& summary, std::vector<uint8_t>& to);

/// False: these bytes are none. Fills all but `begin` and `end`.
bool read_summary(base::ByteReader& reader, Summary& summary);

}  // namespace headrace::events
