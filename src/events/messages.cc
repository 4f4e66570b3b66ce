#include "events/messages.h"

#include <algorithm>

namespace headrace::events {

MessageFigures Messages::match() {
  MessageFigures figures;
  for (auto& [key, channel] : channels_) {
    std::vector<uint64_t>&sent = channel.sent_at, &received = channel.received_at;
    const size_t matched = std::min(sent.size(), received.size());
    figures.matched += matched;
    figures.not_received += sent.size() - matched;
    figures.not_sent += received.size() - matched;
    if (sent.size() == received.size()) figures.other_size += channel.bytes_sent != channel.bytes_received;
    // Whichever belongs to which: when the n-th was received, fewer than n had been sent.
    std::sort(sent.begin(), sent.end());
    std::sort(received.begin(), received.end());
    for (size_t i = 0; i < matched; ++i) figures.before_sent += received[i] < sent[i];
  }
  return figures;
}

}  // namespace headrace::events
