#include "forward/server/sessions.h"

#include "base/clock.h"

namespace headrace::forward {
namespace {

constexpr uint64_t kPatienceNs = 60'000'000'000;

}  // namespace

Session::Standing Session::begin(uint64_t id, uint64_t passed, Route route, std::vector<uint8_t>* answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (passed > passed_) {
    passed_ = passed;
    // What still runs ends, and is then forgotten in finish().
    std::erase_if(slots_, [&](const auto& slot) { return slot.first < passed_ && slot.second.done; });
  }
  if (id < passed_) return Standing::kPassed;
  const auto found = slots_.find(id);
  if (found != slots_.end()) {
    found->second.route = route;
    if (!found->second.done) return Standing::kRunning;
    *answer = found->second.answer;
    return Standing::kDone;
  }
  if (slots_.size() >= kMostOnce) return Standing::kTooMany;
  slots_[id].route = route;
  return Standing::kNew;
}

Route Session::finish(uint64_t id, const std::vector<uint8_t>& answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = slots_.find(id);
  if (found == slots_.end()) return {};
  const Route route = found->second.route;
  found->second.done = true;
  found->second.answer = answer;
  if (id < passed_) slots_.erase(found);
  return route;
}

std::shared_ptr<Session> Sessions::attach(const Nonce& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
  std::erase_if(sessions_, [&](const auto& each) {
    return each.second->connections_ == 0 && now - each.second->left_ns_ > kPatienceNs;
  });
  std::shared_ptr<Session>& session = sessions_[client];
  if (session == nullptr) session = std::make_shared<Session>();
  ++session->connections_;
  return session;
}

void Sessions::detach(const std::shared_ptr<Session>& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --session->connections_;
  session->left_ns_ = base::clock_ns(CLOCK_MONOTONIC);
}

}  // namespace headrace::forward
