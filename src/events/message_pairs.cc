#include "events/message_pairs.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"
#include "events/in_calls.h"

namespace headrace::events {

using base::Result;
using base::Status;
using model::Event;
using model::EventKind;

namespace {

struct End {
  uint64_t at_ns, size, call_begin_ns;
  uint32_t location;
};

struct Channel {
  uint32_t communicator, from, to;
  uint64_t tag;
  bool operator==(const Channel&) const = default;
};

struct ChannelHash {
  size_t operator()(const Channel& key) const {
    return base::mix(base::mix(key.communicator, uint64_t{key.from} << 32 | key.to), key.tag);
  }
};

struct Ends {
  std::vector<End> sent, received;
};

using Channels = std::unordered_map<Channel, Ends, ChannelHash>;

Status take(TraceReader& trace, uint32_t number, Channels& channels) {
  const TraceLocation& location = trace.locations()[number];
  if (location.what.rank < 0) return {};
  const auto rank = static_cast<uint32_t>(location.what.rank);
  return for_each_in_its_call(trace, location, [&](const Event& event, const OpenSpan* call, bool) {
    const bool sent = event.kind() == EventKind::kSend;
    if (!sent && event.kind() != EventKind::kReceive) return;
    Ends& ends = channels[{event.reference(), sent ? rank : event.other, sent ? event.other : rank, event.place}];
    const uint64_t since_ns = is_call_of_mpi(trace, call) ? call->begin_at_ns : MessagePair::kNever;
    (sent ? ends.sent : ends.received).push_back({event.time, event.size, since_ns, number});
  });
}

void add_pairs(const Channel& channel, Ends& ends, TimeRange range, std::vector<MessagePair>& pairs) {
  const auto by_time = [](const End& a, const End& b) { return a.at_ns < b.at_ns; };
  std::stable_sort(ends.sent.begin(), ends.sent.end(), by_time);
  std::stable_sort(ends.received.begin(), ends.received.end(), by_time);
  for (size_t i = 0; i < std::max(ends.sent.size(), ends.received.size()); ++i) {
    MessagePair pair{.from = channel.from, .to = channel.to, .communicator = channel.communicator, .tag = channel.tag};
    if (i < ends.sent.size()) {
      pair.sent_at_ns = ends.sent[i].at_ns;
      pair.sent = ends.sent[i].size;
      pair.from_location = ends.sent[i].location;
    }
    if (i < ends.received.size()) {
      pair.received_at_ns = ends.received[i].at_ns;
      pair.waits_since_ns = ends.received[i].call_begin_ns;
      pair.received = ends.received[i].size;
      pair.to_location = ends.received[i].location;
    }
    const auto inside = [&](uint64_t at_ns) { return at_ns != MessagePair::kNever && range.has(at_ns); };
    if (inside(pair.sent_at_ns) || inside(pair.received_at_ns)) pairs.push_back(pair);
  }
}

}  // namespace

Result<std::vector<MessagePair>> pair_messages(TraceReader& trace, TimeRange range) {
  Channels channels;
  for (uint32_t number = 0; number < trace.locations().size(); ++number) HEADRACE_TRY(take(trace, number, channels));
  std::vector<MessagePair> pairs;
  for (auto& [channel, ends] : channels) add_pairs(channel, ends, range, pairs);
  const auto key = [](const MessagePair& pair) {
    return std::tuple(std::min(pair.sent_at_ns, pair.received_at_ns), pair.from, pair.to, pair.communicator, pair.tag);
  };
  std::sort(pairs.begin(), pairs.end(), [&](const MessagePair& a, const MessagePair& b) { return key(a) < key(b); });
  return pairs;
}

}  // namespace headrace::events
