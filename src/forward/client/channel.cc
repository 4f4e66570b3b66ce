#include "forward/client/channel.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#include <algorithm>

#include "base/clock.h"
#include "forward/protocol/codec.h"

namespace headrace::forward {
namespace {

constexpr int kReceiveMs = 200;                                           // then deadlines are looked at
constexpr uint64_t kRetryNs = 20'000'000, kLongestRetryNs = 200'000'000;  // between attempts to connect again
constexpr unsigned kMostSilent = 4;  // connections that break before anything is answered, then calls go one by one

/// Of a call whose answer nobody waits for.
void drop(Pending* pending) { delete pending; }

uint64_t now_ns() { return base::clock_ns(CLOCK_MONOTONIC); }

}  // namespace

base::Result<std::unique_ptr<Channel>> Channel::open(const std::string& address, const WireOptions& options,
                                                     uint32_t call_ms) {
  std::unique_ptr<Channel> channel(new Channel(address, options, call_ms));
  HEADRACE_TRY(channel->wire_.connect());
  return channel;
}

Channel::~Channel() {
  for (const auto& [id, pending] : pending_)
    if (pending->on_done == &drop) drop(pending);
}

/// A server keeps only so many answers to calls that happen once, and does so from the oldest call that is under way
/// on.
bool Channel::is_full(Op op) const {
  if (pending_.size() >= kMostPending) return true;
  return happens_once(op) && !pending_.empty() && once_ - pending_.begin()->second->once_before >= kMostOnce;
}

void Channel::submit(const Request& request, std::vector<iovec> memory, uint64_t bytes, Pending* pending) {
  pending->begun_ns = now_ns();
  if (observer.now != nullptr) pending->begun_ticks = observer.now();
  if (const int error = refusal(request); error != 0) {
    const Lock lock(mutex_);
    pending->header.op = static_cast<uint8_t>(request.op);
    return finish(pending, error);
  }
  std::unique_lock<std::mutex> sending(send_mutex_);
  Lock lock(mutex_);
  while (is_full(request.op)) {
    sending.unlock();
    step(lock);
    lock.unlock();
    sending.lock();
    lock.lock();
  }
  pending->memory = std::move(memory);
  pending->extents = request.extents;
  pending->file = hash_of_file(request.handle);
  pending->answered_before = uncommitted_.answered();
  pending->deadline_ns = now_ns() + uint64_t{call_ms_} * 1'000'000;
  Header& header = pending->header;
  header.op = static_cast<uint8_t>(request.op);
  header.id = ++last_id_;
  header.limit = call_ms_;
  header.data = static_cast<uint32_t>(bytes);
  pending->once_before = once_;
  once_ += happens_once(request.op);
  header.passed = pending_.empty() ? header.id : pending_.begin()->first;
  encode_request(header, request, &pending->frame);
  pending_[header.id] = pending;
  changed_.notify_all();
  lock.unlock();
  // What goes wrong here is found, and put right, by the threads that wait.
  wire_.send(*pending, [this] {
    Lock inner(mutex_);
    if (!receiving_) receive(inner, 0);
  });
}

void Channel::tell(const Request& request) {
  if (under_way() >= kMostPending / 2) return;  // a server that is away is not waited for
  auto* pending = new Pending;
  pending->on_done = &drop;
  submit(request, {}, 0, pending);
}

/// Receives, without the lock meanwhile. False when the connection is broken.
bool Channel::receive(Lock& lock, int timeout_ms) {
  receiving_ = true;
  lock.unlock();
  const int error = wire_.receive(
      timeout_ms,
      [this](uint64_t id) -> Pending* {
        const Lock inner(mutex_);
        const auto found = pending_.find(id);
        return found == pending_.end() ? nullptr : found->second;
      },
      [this](Pending* pending) {
        const Lock inner(mutex_);
        pending->instance = wire_.instance();
        silent_connections_ = 0;
        if (pending->reply_header.flags & kHeld) uncommitted_.wrote(pending->file, pending->instance);
        finish(pending, 0);
      });
  lock.lock();
  receiving_ = false;
  changed_.notify_all();
  return error == 0;
}

void Channel::finish(Pending* pending, int error) {
  wire_.release(*pending);
  pending->error = error;
  pending->done = true;
  pending_.erase(pending->header.id);
  changed_.notify_all();
  if (pending->on_done != nullptr) pending->on_done(pending);
}

/// A server that ends each connection before it answers anything refuses what is sent there. Calls then go one by one,
/// and the one that went alone and was not answered has failed: the others need not wait for it.
void Channel::find_refused() {
  if (silent_connections_ <= kMostSilent || pending_.empty()) return;
  Pending* const refused = pending_.begin()->second;
  if (refused->went_alone) finish(refused, EPROTO);
}

/// Makes the connection anew and sends again what was not answered. Nobody else sends or receives meanwhile.
void Channel::recover(Lock& lock) {
  find_refused();
  receiving_ = true;
  lock.unlock();
  const std::lock_guard<std::mutex> sending(send_mutex_);
  if (silent_connections_ > 0) {
    const uint64_t wait = std::min(kRetryNs << std::min(silent_connections_ - 1, 8U), kLongestRetryNs);
    const timespec pause{0, static_cast<long>(wait)};
    nanosleep(&pause, nullptr);
  }
  bool connected = wire_.connect().ok();
  lock.lock();
  std::vector<Pending*> all;
  for (auto& [id, pending] : pending_) all.push_back(pending);
  if (connected && !all.empty()) ++silent_connections_;
  if (silent_connections_ > kMostSilent && !all.empty()) {
    all.resize(1);
    all[0]->went_alone = true;
  }
  lock.unlock();
  for (Pending* pending : all) {
    pending->window_units = 0;  // the window is another one
    if (connected) connected = wire_.send(*pending, [] {}) == 0;
  }
  if (!connected) {
    wire_.close();
    const timespec pause{0, static_cast<long>(kRetryNs)};
    nanosleep(&pause, nullptr);
  }
  lock.lock();
  receiving_ = false;
  changed_.notify_all();
}

/// Calls whose time is over. Their memory is the caller's again, so nothing may come in for them any more: the
/// connection is given up, and made anew for the others.
void Channel::expire(Lock& lock) {
  const uint64_t now = now_ns();
  std::vector<Pending*> late;
  for (auto& [id, pending] : pending_) {
    if (now > pending->deadline_ns && pending->on_done != &drop) late.push_back(pending);
  }
  if (late.empty()) return;
  receiving_ = true;
  lock.unlock();
  {
    const std::lock_guard<std::mutex> sending(send_mutex_);
    wire_.close();
  }
  lock.lock();
  receiving_ = false;
  for (Pending* pending : late) finish(pending, ETIMEDOUT);
}

/// Waits a while for anything that changes what is under way.
void Channel::step(Lock& lock) {
  if (receiving_) {
    changed_.wait(lock);
    return;
  }
  if (!receive(lock, kReceiveMs)) recover(lock);
  if (!receiving_) expire(lock);
}

int Channel::wait(Pending* pending) {
  {
    Lock lock(mutex_);
    while (!pending->done) step(lock);
  }
  if (observer.answered != nullptr) observer.answered(*pending);
  return pending->result();
}

bool Channel::is_cut() {
  const Lock lock(mutex_);
  if (!wire_.is_open()) return true;
  pollfd poller{wire_.descriptor(), POLLRDHUP, 0};
  return poll(&poller, 1, 0) > 0;
}

void Channel::serve() {
  Lock lock(mutex_);
  while (!stop_serving_) {
    if (pending_.empty())
      changed_.wait(lock);
    else
      step(lock);
  }
}

void Channel::stop_serving() {
  const Lock lock(mutex_);
  stop_serving_ = true;
  changed_.notify_all();
}

bool Channel::test(Pending* pending) {
  Lock lock(mutex_);
  if (!pending->done && !receiving_) {
    if (!receive(lock, 0)) recover(lock);
    if (!receiving_) expire(lock);
  }
  return pending->done;
}

}  // namespace headrace::forward
