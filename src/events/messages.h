#pragma once
// Messages that were sent against those that were received. Internal to events.

#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "model/event.h"

namespace headrace::events {

struct MessageFigures {
  uint64_t matched = 0;
  uint64_t not_received = 0;  // sent, without a receive
  uint64_t not_sent = 0;      // received, without a send
  uint64_t other_size = 0;    // channels (communicator, from, to, tag) of which as many were sent, but other bytes
  uint64_t before_sent = 0;   // that arrived before they were sent, at least: clocks differ
  // Of not_received, not_sent and other_size: between ranks of which one ended without MPI_Finalize.
  uint64_t of_unfinalized = 0;
};

class Messages {
 public:
  /// An event kSend or kReceive of a rank.
  void add(const model::Event& event, uint32_t rank) {
    const bool sent = event.kind() == model::EventKind::kSend;
    Channel& channel =
        channels_[{event.reference(), sent ? rank : event.other, sent ? event.other : rank, event.place}];
    (sent ? channel.sent_at : channel.received_at).push_back(event.time);
    (sent ? channel.bytes_sent : channel.bytes_received) += event.size;
  }

  /// Sorts the times: to be called once, at the end. `finalized`: ranks that came through MPI_Finalize.
  MessageFigures match(const std::unordered_set<uint32_t>& finalized = {});

 private:
  struct Key {
    uint32_t communicator, from, to;
    uint64_t tag;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return base::mix(base::mix(key.communicator, uint64_t{key.from} << 32 | key.to), key.tag);
    }
  };
  struct Channel {
    std::vector<uint64_t> sent_at, received_at;
    uint64_t bytes_sent = 0, bytes_received = 0;
  };
  std::unordered_map<Key, Channel, Hash> channels_;
};

}  // namespace headrace::events
