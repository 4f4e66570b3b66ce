#include "events/message_sums.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace headrace::events {

namespace {

using P = MessagePair;

bool has_both_ends(const P& message) { return message.sent_at_ns != P::kNever && message.received_at_ns != P::kNever; }

/// The messages of one call follow on one another, in the order in which they were sent.
bool is_before_in_calls(const P& a, const P& b) {
  return std::tie(a.to_location, a.waits_since_ns, a.sent_at_ns) <
         std::tie(b.to_location, b.waits_since_ns, b.sent_at_ns);
}

}  // namespace

MessageSums sum_messages(std::vector<MessagePair>& messages) {
  std::sort(messages.begin(), messages.end(), is_before_in_calls);
  MessageSums sums;
  std::map<std::pair<uint32_t, uint32_t>, RankPair> pairs;
  uint64_t told_until_ns = 0;  // in the call of the message before
  for (size_t i = 0; i < messages.size(); ++i) {
    const P& message = messages[i];
    RankPair& pair = pairs[{message.from, message.to}];
    pair.messages++;
    pair.bytes += message.sent_at_ns != P::kNever ? message.sent : message.received;
    pair.not_received += message.received_at_ns == P::kNever;
    pair.not_sent += message.sent_at_ns == P::kNever;
    if (!has_both_ends(message)) continue;
    sums.before_sent += message.received_at_ns < message.sent_at_ns;
    sums.without_call += message.waits_since_ns == P::kNever;
    if (message.waits_since_ns == P::kNever) continue;
    const bool same_call = i > 0 && messages[i - 1].to_location == message.to_location &&
                           messages[i - 1].waits_since_ns == message.waits_since_ns;
    if (!same_call) told_until_ns = message.waits_since_ns;
    const uint64_t until_ns = std::min(message.sent_at_ns, message.received_at_ns);
    if (message.sent_at_ns > message.waits_since_ns) pair.late++;
    if (until_ns <= told_until_ns) continue;
    pair.waited_ns += until_ns - told_until_ns;
    pair.longest_ns = std::max(pair.longest_ns, until_ns - told_until_ns);
    told_until_ns = until_ns;
  }
  for (auto& [ranks, pair] : pairs) {
    std::tie(pair.from, pair.to) = ranks;
    sums.pairs.push_back(pair);
  }
  return sums;
}

}  // namespace headrace::events
