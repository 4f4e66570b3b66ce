#include "events/summary.h"

#include <algorithm>
#include <bit>

#include "base/varint.h"
#include "events/span_stack.h"

namespace headrace::events {

using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

/// The least width with which the bins hold all of it.
uint8_t shift_of(uint64_t ticks) {
  const auto bits = static_cast<int>(std::bit_width(ticks));
  return static_cast<uint8_t>(std::max(0, bits - static_cast<int>(std::bit_width(kBins - 1))));
}

using Bins = std::array<std::array<uint64_t, kBins>, model::kTimeClasses>;  // ticks

/// Where in its bins a summary is. Apart from these, so that it can be in registers.
class Place {
 public:
  Place(uint64_t begin, uint8_t shift) : time_(begin), edge_(begin + (uint64_t{1} << shift)), shift_(shift) {}

  /// Goes on to a time, all of it in this class; times that go back are passed over.
  void go(Bins& bins, TimeClass what, uint64_t to) {
    if (to <= time_) return;
    auto& line = bins[static_cast<unsigned>(what)];
    for (; to >= edge_ && bin_ + 1 < kBins; edge_ += uint64_t{1} << shift_) {
      line[bin_++] += edge_ - time_;
      time_ = edge_;
    }
    line[bin_] += to - time_;
    time_ = to;
  }

  unsigned bin() const { return bin_; }

 private:
  uint64_t time_;
  uint64_t edge_;  // end of this bin
  unsigned bin_ = 0;
  uint8_t shift_;
};

void finish(const Bins& bins, Summary& summary) {
  const auto width = static_cast<double>(uint64_t{1} << summary.shift);
  for (unsigned each = 0; each < model::kTimeClasses; ++each) {
    for (unsigned bin = 0; bin < kBins; ++bin) {
      // Times that run backwards, as in a damaged trace, can add up to more than the bin holds.
      const double part = std::min(static_cast<double>(bins[each][bin]) / width, 1.0);
      summary.part[each][bin] = static_cast<uint8_t>(part * 255 + 0.5);
      summary.time[each] += bins[each][bin];
    }
  }
}

}  // namespace

Summary summarize(std::span<const Event> events, uint64_t latest, std::span<const TimeClass> classes, OpenRegions& open,
                  std::span<const uint8_t> above) {
  Summary summary;
  if (events.empty()) return summary;
  summary.begin = events.front().time;
  summary.end = latest;
  summary.shift = shift_of(summary.end - summary.begin);
  Bins bins{};
  Place place(summary.begin, summary.shift);
  const auto class_of = [&](uint32_t reference) {
    return reference < classes.size() ? classes[reference] : TimeClass::kProgram;
  };
  const auto count_bytes = [&](const Event& end, unsigned bin) {
    if (end.kind() != EventKind::kIoEnd || end.place != 0) return;
    if (end.reference() < above.size() && above[end.reference()] != 0) return;
    const TimeClass what = class_of(end.reference());
    if (what == TimeClass::kRead) summary.read[bin] += end.size;
    if (what == TimeClass::kWrite) summary.written[bin] += end.size;
  };
  const auto innermost = [&] {
    return open.references().empty() ? TimeClass::kProgram : class_of(open.references().back());
  };
  TimeClass now = innermost();
  for (size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    place.go(bins, now, event.time);
    const EventKind kind = event.kind();
    if (kind > EventKind::kIoEnd) continue;
    // Most begins are followed by an end, and leave what is open as it was.
    if (is_begin(kind) && i + 1 < events.size() && is_end(events[i + 1].kind())) {
      const Event& end = events[++i];
      place.go(bins, class_of(event.reference()), end.time);
      count_bytes(end, place.bin());
      continue;
    }
    open.take(event);
    now = innermost();
    count_bytes(event, place.bin());
  }
  finish(bins, summary);
  return summary;
}

void write_summary(const Summary& summary, std::vector<uint8_t>& to) {
  base::ByteWriter writer(to);
  writer.u8(summary.shift);
  for (unsigned each = 0; each < model::kTimeClasses; ++each) {
    base::write_varint(writer, summary.time[each]);
    if (summary.time[each] > 0) writer.append(summary.part[each]);
  }
  for (const auto* bytes : {&summary.read, &summary.written}) {
    const bool any = std::any_of(bytes->begin(), bytes->end(), [](uint64_t value) { return value != 0; });
    writer.u8(any);
    for (unsigned bin = 0; any && bin < kBins; ++bin) base::write_varint(writer, (*bytes)[bin]);
  }
}

bool read_summary(base::ByteReader& reader, Summary& summary) {
  summary.shift = reader.u8();
  if (summary.shift > 63) return false;
  for (unsigned each = 0; each < model::kTimeClasses; ++each) {
    if (!base::read_varint(reader, summary.time[each])) return false;
    if (summary.time[each] == 0) continue;
    const base::Bytes parts = reader.take(kBins);
    if (!reader.ok()) return false;
    std::copy(parts.begin(), parts.end(), summary.part[each].begin());
  }
  for (auto* bytes : {&summary.read, &summary.written}) {
    const uint8_t any = reader.u8();
    if (any > 1) return false;
    for (unsigned bin = 0; any != 0 && bin < kBins; ++bin)
      if (!base::read_varint(reader, (*bytes)[bin])) return false;
  }
  return reader.ok();
}

}  // namespace headrace::events
