#include "capture/harvest/thread_events.h"

#include <algorithm>

#include "capture/packed_event.h"

namespace headrace::capture {

namespace {

/// When the first of what a raw event becomes is, ticks: of a call whose begin the trace has already only the end
/// comes.
uint64_t first_at(const RawEvent& raw) {
  return raw.kind == RawKind::kLibraryEnd ? std::max(raw.start, raw.end) : raw.start;
}

}  // namespace

/// The last one may be the first half of one that goes on behind it: that is left for the next piece, or is damage.
void RawEvents::unpack_piece(uint64_t base) {
  raw_.clear();
  for (size_t i = 0; i < packed_.size(); ++i) {
    const bool whole = is_whole(packed_[i]);
    if (whole && i + 1 == packed_.size()) {
      if (packed_.size() > 1)
        packed_.pop_back();
      else
        torn_ = true;
      break;
    }
    raw_.push_back(unpack(&packed_[i], base));
    if (whole) ++i;
  }
}

std::span<const RawEvent> RawEvents::next() {
  while (extent_ < thread_.extents.size()) {
    const RecordedThread::Extent& extent = thread_.extents[extent_];
    if (place_ >= extent.count) {
      place_ -= extent.count;
      ++extent_;
      continue;
    }
    packed_.resize(std::min<uint64_t>(piece_, extent.count - place_));
    if (bytes_.read(extent.offset + place_ * sizeof(PackedEvent), std::as_writable_bytes(std::span(packed_)))) {
      unpack_piece(extent.base);
      place_ += packed_.size();
      read_ += packed_.size();
      if (raw_.empty()) continue;
      return raw_;
    }
    extent_ = thread_.extents.size();
    place_ = 0;
  }
  const std::span<const RawEvent> behind = std::span(thread_.behind).subspan(std::min(place_, thread_.behind.size()));
  read_ += behind.size();
  place_ = thread_.behind.size();
  return behind;
}

ThreadEvents::ThreadEvents(const RecordedEvents& recorded, const RecordedThread& thread, uint64_t skip,
                           const ClockMap& clock, EventConverter& converter, std::span<const OpenCall> open,
                           uint64_t earliest, size_t piece)
    : clock_(clock), converter_(converter), earliest_(earliest), raw_(recorded.bytes, thread, skip, piece) {
  for (const OpenCall& call : open) converter_.begin(call, order_.waiting());
  if (thread.count - std::min(skip, thread.count) <= piece) return;
  RawEvents all(recorded.bytes, thread, skip, piece);
  for (std::span<const RawEvent> raw = all.next(); !raw.empty(); raw = all.next()) {
    uint64_t first = first_at(raw.front());
    for (const RawEvent& each : raw) first = std::min(first, first_at(each));
    later_.push_back(first);
  }
  uint64_t earliest_behind = 0;  // behind the last one that does not matter: all is taken then
  for (auto piece_start = later_.rbegin(); piece_start != later_.rend(); ++piece_start) {
    const uint64_t start = *piece_start;
    *piece_start = earliest_behind;
    earliest_behind = piece_start == later_.rbegin() ? start : std::min(start, earliest_behind);
  }
}

std::span<const model::Event> ThreadEvents::next() {
  while (!over_) {
    const std::span<const RawEvent> raw = raw_.next();
    over_ = raw.empty();
    converter_.convert(raw, order_.waiting());
    const uint64_t later = pieces_ < later_.size() ? later_[pieces_] : 0;
    ++pieces_;
    const std::span<model::Event> ready = order_.take(clock_.at_ns(later), over_);
    if (ready.empty()) continue;
    for (model::Event& event : ready) {
      if (event.time >= earliest_) break;
      event.time = earliest_;
      ++moved_;
    }
    return ready;
  }
  return {};
}

}  // namespace headrace::capture
