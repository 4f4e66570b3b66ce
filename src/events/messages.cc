#include "events/messages.h"

#include <algorithm>

namespace headrace::events {

MessageFigures Messages::match(const std::unordered_set<uint32_t>& finalized) {
  MessageFigures figures;
  for (auto& [key, channel] : channels_) {
    std::vector<uint64_t>&sent = channel.sent_at, &received = channel.received_at;
    const size_t matched = std::min(sent.size(), received.size());
    figures.matched += matched;
    const bool other_size = sent.size() == received.size() && channel.bytes_sent != channel.bytes_received;
    figures.not_received += sent.size() - matched;
    figures.not_sent += received.size() - matched;
    figures.other_size += other_size;
    if (!finalized.contains(key.from) || !finalized.contains(key.to))
      figures.of_unfinalized += sent.size() + received.size() - 2 * matched + other_size;
    // Whichever belongs to which: when the n-th was received, fewer than n had been sent.
    std::sort(sent.begin(), sent.end());
    std::sort(received.begin(), received.end());
    for (size_t i = 0; i < matched; ++i) figures.before_sent += received[i] < sent[i];
  }
  return figures;
}

}  // namespace headrace::events
