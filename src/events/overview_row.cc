#include "events/overview_row.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "events/open_regions.h"

namespace headrace::events {

using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

using Line = std::array<double, kBins>;  // an amount in each bin

/// Time of a class in each of the used bins, which are `width` long. Parts are rounded to a 255th of a bin; what they
/// lack of the exact sum, or have too much, is spread over those bins that can have lost or won by rounding, so each
/// stays right to a 255th.
void time_by_bin(const std::array<uint8_t, kBins>& part, unsigned bins, double width, double exact, Line& line) {
  unsigned sum = 0, changing = 0;
  for (unsigned bin = 0; bin < bins; ++bin) sum += part[bin];
  const double each = width / 255, lacking = exact - sum * each;
  const unsigned least = lacking > 0 ? 0 : 1, most = lacking > 0 ? 254 : 255;
  const auto may_change = [&](unsigned bin) { return part[bin] >= least && part[bin] <= most; };
  for (unsigned bin = 0; bin < bins; ++bin) changing += may_change(bin);
  const double more = changing == 0 ? 0 : lacking / changing;
  for (unsigned bin = 0; bin < bins; ++bin) line[bin] = std::max(0.0, part[bin] * each + (may_change(bin) ? more : 0));
}

/// Also of amounts that only hostile summaries have.
uint64_t rounded(double amount) { return amount < 0x1p62 ? static_cast<uint64_t>(amount + 0.5) : uint64_t{1} << 62; }

/// Shares what bins have among the cells between these edges. Differences of rounded sums, so that all of it is given
/// and nothing twice.
void share(const Line& line, unsigned bins, std::span<const EdgePlace> places, uint64_t* cells) {
  std::array<double, kBins + 1> before;  // in the bins in front of each
  before[0] = 0;
  for (unsigned bin = 0; bin < bins; ++bin) before[bin + 1] = before[bin] + line[bin];
  const auto until = [&](const EdgePlace& place) {
    return rounded(place.bin < bins ? before[place.bin] + place.part * line[place.bin] : before[bins]);
  };
  uint64_t given = until(places[0]);
  for (size_t edge = 1; edge < places.size(); ++edge) {
    const uint64_t now = std::max(given, until(places[edge]));
    cells[edge - 1] += now - given;
    given = now;
  }
}

void share(const std::array<uint64_t, kBins>& bytes, unsigned bins, std::span<const EdgePlace> places,
           uint64_t* cells) {
  Line line;
  uint64_t any = 0;
  for (unsigned bin = 0; bin < bins; ++bin) {
    line[bin] = static_cast<double>(bytes[bin]);
    any |= bytes[bin];
  }
  if (any != 0) share(line, bins, places, cells);
}

}  // namespace

void OverviewRow::add_time(TimeClass what, uint64_t begin_at_ns, uint64_t end_at_ns) {
  uint64_t from = std::max(begin_at_ns, columns_.begin());
  const uint64_t to = std::min(end_at_ns, columns_.end());
  if (from >= to) return;
  uint64_t* const line = cells_[static_cast<unsigned>(what)];
  for (uint32_t column = columns_.at(from); from < to; ++column) {
    const uint64_t until = std::min(to, columns_.edge(column + 1));
    line[column] += until - from;
    from = until;
  }
}

uint64_t OverviewRow::add(const EventChunk& chunk, const ClockLine* line) {
  const uint64_t begin = nanoseconds(chunk.summary.begin, chunk.tick_shift, line);
  const uint64_t end = nanoseconds(chunk.summary.end, chunk.tick_shift, line);
  if (begin >= columns_.end() || end < columns_.begin()) return 0;
  const bool inside = begin >= columns_.begin() && end < columns_.end();
  const uint32_t column = columns_.at(std::max(begin, columns_.begin()));
  const double raw = std::ldexp(static_cast<double>(chunk.summary.end - chunk.summary.begin), chunk.tick_shift);
  const double scale = line == nullptr || raw == 0 ? 1 : std::clamp(static_cast<double>(end - begin) / raw, 0.5, 2.0);
  if (inside && column == columns_.at(end)) {
    add_inside(chunk, column, scale);
    return 0;
  }
  add_cut(chunk, begin, end, scale);
  return nanoseconds(uint64_t{1} << chunk.summary.shift, chunk.tick_shift);
}

void OverviewRow::add_inside(const EventChunk& chunk, uint32_t column, double scale) {
  const Summary& summary = chunk.summary;
  for (unsigned each = 0; each < model::kTimeClasses; ++each) {
    const uint64_t time = nanoseconds(std::min(summary.time[each], summary.end - summary.begin), chunk.tick_shift);
    cells_[each][column] += scale == 1 ? time : rounded(static_cast<double>(time) * scale);
  }
  cells_[kReadPlane][column] += std::accumulate(summary.read.begin(), summary.read.end(), uint64_t{0});
  cells_[kWrittenPlane][column] += std::accumulate(summary.written.begin(), summary.written.end(), uint64_t{0});
}

void OverviewRow::add_cut(const EventChunk& chunk, uint64_t begin_at_ns, uint64_t end_at_ns, double scale) {
  const Summary& summary = chunk.summary;
  const auto bins = static_cast<unsigned>((summary.end - summary.begin) >> summary.shift) + 1;
  const double width = std::ldexp(scale, summary.shift + chunk.tick_shift), bins_per_ns = 1 / width;
  const double last_begin = (bins - 1) * width, last_width = static_cast<double>(end_at_ns - begin_at_ns) - last_begin;
  const auto place_of = [&](uint64_t at_ns) -> EdgePlace {
    if (at_ns <= begin_at_ns) return {};
    if (at_ns > end_at_ns) return {kBins, 0};
    const auto behind = static_cast<double>(at_ns - begin_at_ns);
    const double place = behind * bins_per_ns;
    const auto bin = static_cast<unsigned>(place);
    if (bin < bins - 1) return {bin, place - bin};
    return {bins - 1, last_width > 0 ? std::min(1.0, (behind - last_begin) / last_width) : 0};
  };
  const uint32_t first = columns_.at(std::max(begin_at_ns, columns_.begin()));
  const uint32_t last = columns_.at(std::min(end_at_ns, columns_.end() - 1));
  places_.clear();
  for (uint32_t column = first; column <= last + 1; ++column) places_.push_back(place_of(columns_.edge(column)));
  const double ns_per_tick = std::ldexp(scale, chunk.tick_shift);
  Line line;
  for (unsigned each = 0; each < model::kTimeClasses; ++each) {
    if (summary.time[each] == 0) continue;
    const auto ticks = static_cast<double>(std::min(summary.time[each], summary.end - summary.begin));
    time_by_bin(summary.part[each], bins, width, ticks * ns_per_tick, line);
    share(line, bins, places_, cells_[each] + first);
  }
  share(summary.read, bins, places_, cells_[kReadPlane] + first);
  share(summary.written, bins, places_, cells_[kWrittenPlane] + first);
}

void OverviewRow::add(const EventChunk& chunk, std::span<const Event> events, const ClockLine* line,
                      std::span<const uint8_t> above) {
  OpenRegions open;
  for (const uint32_t reference : chunk.open) open.enter(reference);
  TimeClass now = class_before(chunk);
  uint64_t latest = nanoseconds(chunk.summary.begin, chunk.tick_shift, line);
  uint32_t column = 0;
  uint64_t from = 1, to = 0;  // of this column: none yet
  for (const Event& event : events) {
    const uint64_t at = std::max(latest, nanoseconds(event.time, chunk.tick_shift, line));
    if (from <= latest && at < to)
      cells_[static_cast<unsigned>(now)][column] += at - latest;
    else
      add_time(now, latest, at);
    latest = at;
    if (event.kind() > EventKind::kIoEnd) continue;
    open.take(event);
    now = open.references().empty() ? TimeClass::kProgram : chunk.classes[open.references().back()];
    if (at < columns_.begin() || at >= columns_.end()) continue;
    if (at < from || at >= to) {
      column = columns_.at(at);
      from = columns_.edge(column);
      to = columns_.edge(column + 1);
    }
    if (event.kind() != EventKind::kIoEnd || event.place != 0) continue;
    if (event.reference() < above.size() && above[event.reference()] != 0) continue;
    const TimeClass what = chunk.classes[event.reference()];
    if (what == TimeClass::kRead) cells_[kReadPlane][column] += event.size;
    if (what == TimeClass::kWrite) cells_[kWrittenPlane][column] += event.size;
  }
}

}  // namespace headrace::events
