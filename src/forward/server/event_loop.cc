#include "forward/server/event_loop.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"

namespace headrace::forward {
namespace {

constexpr size_t kScratch = 16 << 10;
constexpr size_t kConnectionBytes = kScratch + 4096;  // what a connection may keep, and itself
constexpr int kMostEvents = 64;
constexpr int kMostAccepted = 64;  // at a time
constexpr uint64_t kWakeNumber = 0, kNewcomersNumber = UINT64_MAX;
constexpr uint64_t kLookNs = 500'000;  // so long newcomers may wait for others, and for the one who is being served
constexpr uint64_t kFirstListener = 1, kFirstConnection = 1 << 20;
constexpr uint64_t kCheckNs = 1'000'000'000;
constexpr uint64_t kDrainNs = 10'000'000'000;
constexpr uint64_t kCloseNs = 2'000'000'000;

thread_local const EventLoop* of_this_thread = nullptr;

}  // namespace

EventLoop::EventLoop(Shared& shared) : shared_(shared), scratch_(kScratch) {}

EventLoop::~EventLoop() {
  for (size_t i = 0; i < connections_.size(); ++i) shared_.buffers.discharge(kConnectionBytes);
  if (epoll_ >= 0) close(epoll_);
  if (newcomers_ >= 0) close(newcomers_);
  if (wake_ >= 0) close(wake_);
}

base::Status EventLoop::open() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  newcomers_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event wake = {}, newcomers = {};
  wake.events = newcomers.events = EPOLLIN;
  wake.data.u64 = kWakeNumber;
  newcomers.data.u64 = kNewcomersNumber;
  if (epoll_ < 0 || newcomers_ < 0 || wake_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &wake) != 0 ||
      epoll_ctl(epoll_, EPOLL_CTL_ADD, newcomers_, &newcomers) != 0)
    return {base::Code::kIo, std::string("epoll: ") + strerror(errno)};
  return {};
}

void EventLoop::listen(std::unique_ptr<Listener> listener, std::function<void(std::unique_ptr<Link>)> on_link) {
  on_link_ = std::move(on_link);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kFirstListener + listeners_.size();
  epoll_ctl(newcomers_, EPOLL_CTL_ADD, listener->descriptor(), &event);
  listeners_.push_back(std::move(listener));
}

void EventLoop::start() {
  thread_ = std::thread([this] { run(); });
}

void EventLoop::stop() {
  stopping_ = true;
  wake();
}

void EventLoop::wait_drained() {
  if (!thread_.joinable()) return;  // the server could not be started
  std::unique_lock<std::mutex> lock(mail_mutex_);
  drained_changed_.wait(lock, [this] { return drained_; });
}

void EventLoop::say_goodbye(std::set<Nonce> but) {
  {
    const std::lock_guard<std::mutex> lock(mail_mutex_);
    goodbye_ = std::move(but);
  }
  wake();
}

void EventLoop::join() {
  if (thread_.joinable()) thread_.join();
}

void EventLoop::wake() {
  if (awake_.exchange(true)) return;  // it will look anyway
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

void EventLoop::add(std::unique_ptr<Link> link) {
  if (of_this_thread == this) return admit(std::move(link));
  {
    const std::lock_guard<std::mutex> lock(mail_mutex_);
    new_links_.push_back(std::move(link));
  }
  wake();
}

void EventLoop::post(uint64_t connection, Answer answer) {
  if (of_this_thread == this) {
    own_answers_.emplace_back(connection, std::move(answer));
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mail_mutex_);
    answers_.emplace_back(connection, std::move(answer));
  }
  wake();
}

std::shared_ptr<Window> EventLoop::make_window(size_t bytes) {
  Buffers& buffers = shared_.buffers;
  const bool fits = shared_.window_bytes.fetch_add(bytes) + bytes <= buffers.memory() / 2;
  std::shared_ptr<Window> window;
  if (fits && buffers.charge(bytes)) {
    window = Window::make(bytes);
    if (window == nullptr) buffers.discharge(bytes);
  }
  if (window == nullptr) {
    shared_.window_bytes -= bytes;
    return nullptr;
  }
  Window* const place = window.get();
  // Its memory is counted until the last call that uses it is done.
  return std::shared_ptr<Window>(place, [window = std::move(window), bytes, &shared = shared_](Window*) mutable {
    window.reset();
    shared.window_bytes -= bytes;
    shared.buffers.discharge(bytes);
  });
}

Connection* EventLoop::find(uint64_t number) {
  const auto found = connections_.find(number);
  return found == connections_.end() ? nullptr : found->second.get();
}

void EventLoop::arm(Connection& connection) {
  const uint32_t wanted = (connection.wants_input() ? EPOLLIN : 0u) | (connection.wants_output() ? EPOLLOUT : 0u);
  const bool moves = connection.newcomer && connection.is_open();
  if (wanted == connection.armed && !moves) return;
  epoll_event event = {};
  event.events = wanted;
  event.data.u64 = connection.number();
  const int descriptor = connection.link().descriptor();
  if (moves) {
    epoll_ctl(newcomers_, EPOLL_CTL_DEL, descriptor, nullptr);
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
    connection.newcomer = false;
  } else {
    epoll_ctl(connection.newcomer ? newcomers_ : epoll_, EPOLL_CTL_MOD, descriptor, &event);
  }
  connection.armed = wanted;
}

void EventLoop::remove_if_ended(uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  if (!found->second->ended()) return arm(*found->second);
  connections_.erase(found);  // closing takes it out of the epoll set
  shared_.counters.open -= 1;
  shared_.buffers.discharge(kConnectionBytes);
}

/// Or not before the next look at times.
void EventLoop::listen_again(bool now) {
  accepting_ = now;
  for (size_t i = 0; i < listeners_.size(); ++i) {
    epoll_event event = {};
    event.events = now ? EPOLLIN : 0u;
    event.data.u64 = kFirstListener + i;
    epoll_ctl(newcomers_, EPOLL_CTL_MOD, listeners_[i]->descriptor(), &event);
  }
  if (!now && next_check_ns_ == 0) next_check_ns_ = base::monotonic_ns() + kCheckNs;
}

void EventLoop::accept(Listener& listener) {
  for (int i = 0; i < kMostAccepted; ++i) {
    std::unique_ptr<Link> link = listener.accept();
    if (link == nullptr) {
      // Without a descriptor for it a peer stays where it is, and would wake this thread again and again.
      const bool full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      return full ? listen_again(false) : void();
    }
    shared_.counters.accepted += 1;
    on_link_(std::move(link));
  }
}

void EventLoop::admit(std::unique_ptr<Link> link) {
  const bool stranger = link->peer().starts_with("process ") && !link->is_own_user();
  if (stranger) {
    shared_.counters.refused_strangers += 1;
    return;
  }
  if (stopping_ || shared_.counters.open >= shared_.limits.most_connections ||
      !shared_.buffers.charge(kConnectionBytes)) {
    shared_.counters.refused_full += 1;
    return;
  }
  const uint64_t number = ++last_number_;
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = number;
  auto connection = std::make_unique<Connection>(*this, shared_, number, std::move(link));
  connection->armed = EPOLLIN;
  epoll_ctl(newcomers_, EPOLL_CTL_ADD, connection->link().descriptor(), &event);
  connections_.emplace(number, std::move(connection));
  shared_.counters.open += 1;
  if (next_check_ns_ == 0) next_check_ns_ = base::monotonic_ns() + kCheckNs;
}

void EventLoop::take_links() {
  std::vector<std::unique_ptr<Link>> links;
  {
    const std::lock_guard<std::mutex> lock(mail_mutex_);
    links.swap(new_links_);
  }
  for (std::unique_ptr<Link>& link : links) admit(std::move(link));
}

void EventLoop::take_mail() {
  uint64_t count;
  [[maybe_unused]] const ssize_t taken = read(wake_, &count, sizeof count);
  awake_ = false;
  take_links();
  std::vector<std::pair<uint64_t, Answer>> answers;
  {
    const std::lock_guard<std::mutex> lock(mail_mutex_);
    answers.swap(answers_);
  }
  for (auto& [number, answer] : answers) {
    if (Connection* connection = find(number)) connection->deliver(std::move(answer));
  }
  // Buffers came back, maybe. Each is tried once, in the order in which they began to wait.
  std::deque<uint64_t> parked;
  parked.swap(parked_);
  for (const uint64_t number : parked) {
    Connection* connection = find(number);
    if (connection == nullptr) continue;
    connection->unpark();
    to_flush_.push_back(number);
  }
}

void EventLoop::deliver_own() {
  for (auto& [number, answer] : std::exchange(own_answers_, {})) {
    if (Connection* connection = find(number)) connection->deliver(std::move(answer));
  }
}

void EventLoop::flush_all() {
  std::vector<uint64_t> numbers;
  numbers.swap(to_flush_);
  for (const uint64_t number : numbers) {
    if (Connection* connection = find(number)) {
      connection->flush();
      if (connection->has_deadline() && next_check_ns_ == 0) next_check_ns_ = base::monotonic_ns() + kCheckNs;
      remove_if_ended(number);
    }
  }
}

/// While no connection has a deadline there is nothing to look at, and the thread sleeps.
void EventLoop::check_times() {
  const uint64_t now = base::monotonic_ns();
  if (next_check_ns_ == 0 || now < next_check_ns_) return;
  bool any = false;
  std::vector<uint64_t> ended;
  for (auto& [number, connection] : connections_) {
    connection->check_time(now);
    any = any || connection->has_deadline();
    if (connection->ended()) ended.push_back(number);
  }
  for (const uint64_t number : ended) remove_if_ended(number);
  if (!accepting_) listen_again(true);
  next_check_ns_ = any ? now + kCheckNs : 0;
}

void EventLoop::begin_drain() {
  drain_until_ns_ = base::monotonic_ns() + kDrainNs;
  listeners_.clear();
  for (auto& [number, connection] : connections_) {
    connection->drain();
    arm(*connection);
  }
}

/// Connections stay until all is in the files, so that they can be told.
void EventLoop::watch_drain() {
  const bool idle =
      std::all_of(connections_.begin(), connections_.end(), [](const auto& each) { return each.second->idle(); });
  const std::lock_guard<std::mutex> lock(mail_mutex_);
  if (!drained_ && (idle || base::monotonic_ns() > drain_until_ns_)) {
    drained_ = true;
    drained_changed_.notify_all();
  }
  if (!goodbye_.has_value() || !answers_.empty() || close_until_ns_ != 0) return;
  close_until_ns_ = base::monotonic_ns() + kCloseNs;
  for (auto& [number, connection] : connections_) {
    connection->say_goodbye(!goodbye_->contains(connection->client()));
    to_flush_.push_back(number);
  }
}

void EventLoop::serve(uint64_t number, uint32_t events) {
  if (number == kWakeNumber) return take_mail();
  if (number == kNewcomersNumber) return serve_newcomers();
  if (number < kFirstConnection) {
    if (number - kFirstListener < listeners_.size()) accept(*listeners_[number - kFirstListener]);
    return;
  }
  Connection* const connection = find(number);
  if (connection == nullptr) return;
  const bool gone = (events & (EPOLLHUP | EPOLLERR)) != 0 && (events & EPOLLIN) == 0;
  if (events & EPOLLIN) connection->readable(scratch_);
  if (gone) connection->end();
  to_flush_.push_back(number);
}

/// Who connects, and who has not shown yet who it is. What they are answered goes to them at once.
void EventLoop::serve_newcomers() {
  take_links();
  epoll_event events[kMostEvents];
  const int count = epoll_wait(newcomers_, events, kMostEvents, 0);
  for (int i = 0; i < count; ++i) serve(events[i].data.u64, events[i].events);
  flush_all();
  looked_ns_ = base::monotonic_ns();
}

void EventLoop::run() {
  of_this_thread = this;
  epoll_event events[kMostEvents];
  while (true) {
    if (stopping_ && drain_until_ns_ == 0) begin_drain();
    if (stopping_) watch_drain();
    flush_all();
    if (close_until_ns_ != 0 && (connections_.empty() || base::monotonic_ns() > close_until_ns_)) break;
    int wait = next_check_ns_ == 0 ? -1 : static_cast<int>(kCheckNs / 1'000'000);
    if (stopping_) wait = 100;
    if (shared_.pool.is_behind()) wait = 1;
    const int count = epoll_wait(epoll_, events, kMostEvents, wait);
    looked_ns_ = base::monotonic_ns();
    for (int i = 0; i < count; ++i) {
      if (base::monotonic_ns() - looked_ns_ > kLookNs) serve_newcomers();
      serve(events[i].data.u64, events[i].events);
    }
    shared_.pool.add_watched(&to_pool_);
    deliver_own();
    flush_all();
    check_times();
  }
}

}  // namespace headrace::forward
