#include "convert/perfetto/flows.h"

#include <algorithm>

#include "base/hash.h"
#include "events/event_cursor.h"

namespace headrace::convert::perfetto {

using base::Status;
using model::Event;
using model::EventKind;

namespace {

struct OneWay {
  uint64_t at_ns;
  Channel channel;
  uint32_t location;
};

bool is_message(const Event& event) { return event.kind() == EventKind::kSend || event.kind() == EventKind::kReceive; }

Channel channel_of(const events::TraceReader& trace, uint32_t location, const Event& event) {
  const auto rank = static_cast<uint32_t>(trace.locations()[location].what.rank);
  const bool sent = event.kind() == EventKind::kSend;
  const uint64_t ranks = sent ? uint64_t{rank} << 32 | event.other : uint64_t{event.other} << 32 | rank;
  const uint64_t communicator = trace.references()[event.reference()].id;
  return {base::mix(base::mix(communicator, ranks), event.place), sent};
}

/// Appends the location's messages. Its own order stays, also where its times go back.
Status collect(events::TraceReader& trace, uint32_t number, std::vector<OneWay>& messages) {
  events::EventCursor cursor(trace, trace.locations()[number]);
  uint64_t last = 0;
  while (true) {
    HEADRACE_ASSIGN(const bool more, cursor.next());
    if (!more) return {};
    for (const Event& event : cursor.events()) {
      last = std::max(last, event.time);
      if (is_message(event)) messages.push_back({last, channel_of(trace, number, event), number});
    }
  }
}

bool has_communicators(const events::TraceReader& trace) {
  const auto is = [](const events::Reference& each) { return each.kind == "communicator"; };
  return std::any_of(trace.references().begin(), trace.references().end(), is);
}

}  // namespace

Status Flows::begin(uint32_t location) {
  const std::vector<events::TraceLocation>& locations = trace_->locations();
  const int64_t rank = locations[location].what.rank;
  if (rank != rank_) {
    channels_.clear();
    numbered_.clear();
    uint32_t first = location, behind = location + 1;
    while (first > 0 && locations[first - 1].what.rank == rank) --first;
    while (behind < locations.size() && locations[behind].what.rank == rank) ++behind;
    const bool several = behind - first > 1 && rank >= 0;
    if (wanted_ && several && has_communicators(*trace_)) HEADRACE_TRY(number_all(first, behind));
  }
  rank_ = rank;
  location_ = location;
  const auto found = numbered_.find(location);
  ids_ = found == numbered_.end() ? nullptr : &found->second;
  at_ = 0;
  return {};
}

Status Flows::number_all(uint32_t first, uint32_t behind) {
  std::vector<OneWay> messages;
  for (uint32_t location = first; location < behind; ++location) HEADRACE_TRY(collect(*trace_, location, messages));
  std::stable_sort(messages.begin(), messages.end(),
                   [](const OneWay& a, const OneWay& b) { return a.at_ns < b.at_ns; });
  for (const OneWay& message : messages) numbered_[message.location].push_back(next(message.channel));
  return {};
}

uint64_t Flows::of(const Event& event) {
  if (!wanted_ || rank_ < 0) return 0;
  if (ids_ == nullptr) return next(channel_of(*trace_, location_, event));
  return at_ < ids_->size() ? (*ids_)[at_++] : 0;
}

uint64_t Flows::next(const Channel& channel) {
  const uint64_t id = base::mix(channel.id, channels_[channel.id ^ channel.sent]++);
  return id == 0 ? 1 : id;
}

}  // namespace headrace::convert::perfetto
