#pragma once
// Who sent how much to whom, and how long receivers waited for what had not been sent yet.

#include <cstdint>
#include <vector>

#include "events/message_pairs.h"

namespace headrace::events {

/// Of the messages from one rank to another.
struct RankPair {
  uint32_t from = 0, to = 0;
  uint64_t messages = 0, bytes = 0;  // bytes as they were sent, or received where the send is not there
  uint64_t not_received = 0, not_sent = 0;
  uint64_t late = 0;       // messages that were sent after their receiver had begun to wait for them
  uint64_t waited_ns = 0;  // for these
  uint64_t longest_ns = 0;
};

struct MessageSums {
  std::vector<RankPair> pairs;  // by `from`, then `to`
  uint64_t before_sent = 0;     // received before they were sent: clocks differ
  uint64_t without_call = 0;    // of which the call that received them is not there: nobody knows whether it waited
};

/// A receiver waits from the begin of its call (MPI_Recv, MPI_Wait…) to when the message is sent, but not beyond the
/// end of that call: the "late sender" of Scalasca's patterns. Where one call waits for several messages each moment
/// counts once, for that one of the messages still missing which is sent first. Sorts `messages`.
MessageSums sum_messages(std::vector<MessagePair>& messages);

}  // namespace headrace::events
