#include "forward/server/sessions.h"

#include "base/clock.h"

namespace headrace::forward {
namespace {

constexpr uint64_t kPatienceNs = 60'000'000'000;

}  // namespace

Session::Standing Session::begin(uint64_t id, uint64_t passed, Route route, std::vector<uint8_t>* answer,
                                 std::optional<uint64_t>* before) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (passed > passed_) {
    passed_ = passed;
    // What still runs ends, and is then forgotten in finish().
    std::erase_if(slots_, [&](const auto& slot) { return slot.first < passed_ && slot.second.done; });
    if (journal_ != nullptr) journal_->passed(client_, passed_);
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
  Slot& slot = slots_[id];
  slot.route = route;
  const auto left = journal_ == nullptr ? std::nullopt : journal_->left(client_, id);
  if (!left.has_value()) return Standing::kNew;
  if (!left->done) {
    *before = left->before;
    return Standing::kNew;
  }
  slot.done = true;
  *answer = slot.answer = left->answer;
  return Standing::kDone;
}

Route Session::finish(uint64_t id, const std::vector<uint8_t>& answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = slots_.find(id);
  if (found == slots_.end()) return {};
  const Route route = found->second.route;
  found->second.done = true;
  found->second.answer = answer;
  if (journal_ != nullptr) journal_->done(client_, id, answer);
  if (id < passed_) slots_.erase(found);
  return route;
}

std::shared_ptr<Session> Sessions::attach(const Nonce& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
  std::erase_if(sessions_, [&](const auto& each) {
    const bool is_gone = each.second->connections_ == 0 && now - each.second->left_ns_ > kPatienceNs;
    if (is_gone && journal_ != nullptr) journal_->gone(each.first);
    return is_gone;
  });
  std::shared_ptr<Session>& session = sessions_[client];
  if (session == nullptr) session = std::make_shared<Session>(journal_, client);
  ++session->connections_;
  return session;
}

void Sessions::detach(const std::shared_ptr<Session>& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --session->connections_;
  session->left_ns_ = base::clock_ns(CLOCK_MONOTONIC);
}

}  // namespace headrace::forward
