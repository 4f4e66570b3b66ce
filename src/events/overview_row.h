#pragma once
// Adds what a location did to one row of an overview. One thread at a time. Internal to events.

#include <array>
#include <span>

#include "events/clock_line.h"
#include "events/event_chunk.h"
#include "events/overview.h"
#include "events/time_columns.h"

namespace headrace::events {

/// Where the edge of a column lies in the bins of a chunk.
struct EdgePlace {
  unsigned bin = 0;  // kBins: behind all
  double part = 0;   // of it that lies before the edge
};

class OverviewRow {
 public:
  /// `cells`: of each plane those of this row, as many as there are columns.
  OverviewRow(const TimeColumns& columns, const std::array<uint64_t*, kPlanes>& cells)
      : columns_(columns), cells_(cells) {}

  /// Time of a class; also time outside of the columns.
  void add_time(model::TimeClass what, uint64_t begin_at_ns, uint64_t end_at_ns);

  /// A chunk by its summary. How long the bins are that column edges cut, in ns; 0: none is cut. `line`: what is done
  /// to its times, or null.
  uint64_t add(const EventChunk& chunk, const ClockLine* line = nullptr);

  /// A chunk by its events, in ticks; references count in the chunk, also in `above` (summary.h).
  void add(const EventChunk& chunk, std::span<const model::Event> events, const ClockLine* line = nullptr,
           std::span<const uint8_t> above = {});

 private:
  void add_inside(const EventChunk& chunk, uint32_t column, double scale);
  void add_cut(const EventChunk& chunk, uint64_t begin_at_ns, uint64_t end_at_ns, double scale);

  const TimeColumns& columns_;
  std::array<uint64_t*, kPlanes> cells_;
  std::vector<EdgePlace> places_;  // working memory
};

/// A time in ns of one in ticks; the greatest there is where it would be later.
inline uint64_t nanoseconds(uint64_t ticks, uint8_t shift) {
  return ticks > ~uint64_t{0} >> shift ? ~uint64_t{0} : ticks << shift;
}

/// The same on the clock that counts.
inline uint64_t nanoseconds(uint64_t ticks, uint8_t shift, const ClockLine* line) {
  return line == nullptr ? nanoseconds(ticks, shift) : line->at(nanoseconds(ticks, shift));
}

/// What time belongs to before the first event of a chunk.
inline model::TimeClass class_before(const EventChunk& chunk) {
  return chunk.open.empty() ? model::TimeClass::kProgram : chunk.classes[chunk.open.back()];
}

}  // namespace headrace::events
