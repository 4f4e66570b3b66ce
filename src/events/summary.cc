#include "events/summary.h"

#include <algorithm>
#include <bit>

#include "base/varint.h"

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

class Bins {
 public:
  Bins(uint64_t begin, uint64_t end)
      : shift_(shift_of(end - begin)), time_(begin), edge_(begin + (uint64_t{1} << shift_)) {}

  /// Goes on to a time, all of it in this class.
  void add(TimeClass what, uint64_t to) {
    auto& line = ticks_[static_cast<unsigned>(what)];
    for (; to >= edge_ && bin_ + 1 < kBins; edge_ += uint64_t{1} << shift_) {
      line[bin_++] += edge_ - time_;
      time_ = edge_;
    }
    line[bin_] += to - time_;
    time_ = to;
  }

  uint64_t time() const { return time_; }
  unsigned bin() const { return bin_; }

  void finish(Summary& summary) const {
    summary.shift = shift_;
    for (unsigned each = 0; each < model::kTimeClasses; ++each) {
      for (unsigned bin = 0; bin < kBins; ++bin) {
        const double part = static_cast<double>(ticks_[each][bin]) * 255 / static_cast<double>(uint64_t{1} << shift_);
        summary.part[each][bin] = static_cast<uint8_t>(part + 0.5);
        summary.time[each] += ticks_[each][bin];
      }
    }
  }

 private:
  uint8_t shift_;
  uint64_t time_;
  uint64_t edge_;  // end of this bin
  unsigned bin_ = 0;
  std::array<std::array<uint64_t, kBins>, model::kTimeClasses> ticks_{};
};

}  // namespace

Summary summarize(std::span<const Event> events, std::span<const TimeClass> classes, OpenRegions& open) {
  Summary summary;
  if (events.empty()) return summary;
  uint64_t latest = events.front().time;
  for (const Event& event : events) latest = std::max(latest, event.time);
  summary.begin = events.front().time;
  summary.end = latest;
  Bins bins(summary.begin, summary.end);
  const auto class_of = [&](uint32_t reference) {
    return reference < classes.size() ? classes[reference] : TimeClass::kProgram;
  };
  const auto innermost = [&] {
    return open.references().empty() ? TimeClass::kProgram : class_of(open.references().back());
  };
  TimeClass now = innermost();
  for (const Event& event : events) {
    if (event.time > bins.time()) bins.add(now, event.time);
    const EventKind kind = event.kind();
    if (kind > EventKind::kIoEnd) continue;
    open.take(event);
    now = innermost();
    if (kind != EventKind::kIoEnd || event.place != 0) continue;
    const TimeClass what = class_of(event.reference());
    if (what == TimeClass::kRead) summary.read[bins.bin()] += event.size;
    if (what == TimeClass::kWrite) summary.written[bins.bin()] += event.size;
  }
  bins.finish(summary);
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
