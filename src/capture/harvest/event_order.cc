#include "capture/harvest/event_order.h"

#include <algorithm>
#include <utility>

#include "events/event_chunk.h"

namespace headrace::capture {

using model::Event;

namespace {

/// A send is recorded before the call that it begins with, at the same time.
bool is_earlier(const Event& one, const Event& other) {
  const auto is_send = [](const Event& event) { return event.kind() == model::EventKind::kSend; };
  return one.time != other.time ? one.time < other.time : is_send(other) && !is_send(one);
}

}  // namespace

std::span<Event> EventOrder::take(uint64_t time_ns, bool all) {
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(std::exchange(taken_, 0)));
  // Around an outer call that is not over nothing new can be taken; and to look again only when twice as many wait
  // keeps the work in proportion to the events, whatever they are.
  if (!all && (time_ns <= looked_ns_ || waiting_.size() < 2 * left_)) return {};
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), is_earlier))
    std::stable_sort(waiting_.begin(), waiting_.end(), is_earlier);
  taken_ = waiting_.size();
  if (!all) {
    const auto later = std::partition_point(waiting_.begin(), waiting_.end(),
                                            [&](const Event& event) { return event.time < time_ns; });
    taken_ = static_cast<size_t>(later - waiting_.begin()) / events::kMostEvents * events::kMostEvents;
  }
  left_ = waiting_.size() - taken_;
  looked_ns_ = time_ns;
  return {waiting_.data(), taken_};
}

}  // namespace headrace::capture
