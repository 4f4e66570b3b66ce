// A thread that serves some of the connections: it sleeps until one of them, or a thread of the pool, has something.
//
// Whoever connects is served between any two of the others: becoming a client takes several messages, and each would
// wait for a turn of all who write.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forward/server/connection.h"
#include "forward/server/shared.h"
#include "forward/transport/link.h"

namespace headrace::forward {

class EventLoop {
 public:
  explicit EventLoop(Shared& shared);
  ~EventLoop();
  base::Status open();
  void start();
  // From any thread, one after another: takes no more calls; waits until those that run are answered, or will not be;
  // closes all connections, telling clients but these that what they wrote is in the files; waits for its thread.
  void stop();
  void wait_drained();
  void say_goodbye(std::set<Nonce> but);
  void join();

  // From any thread.
  void add(std::unique_ptr<Link> link);
  void post(uint64_t connection, Answer answer);
  void wake();  // also: there may be memory again

  /// Before start(): `on_link` is called with each connection that `listener` accepts.
  void listen(std::unique_ptr<Listener> listener, std::function<void(std::unique_ptr<Link>)> on_link);

  // For connections, in this thread.
  void park(uint64_t connection) { parked_.push_back(connection); }
  void flush_later(uint64_t connection) { to_flush_.push_back(connection); }
  /// In a thread of the pool. All that a turn gives away is handed over at once: waking a thread costs more than a
  /// call.
  void work_later(std::function<void()> work) { to_pool_.push_back(std::move(work)); }
  std::shared_ptr<Window> make_window(size_t bytes);

 private:
  void run();
  void take_mail();
  void take_links();
  void admit(std::unique_ptr<Link> link);
  void serve(uint64_t number, uint32_t events);
  void serve_newcomers();
  void accept(Listener& listener);
  void listen_again(bool now);
  void deliver_own();
  void flush_all();
  void arm(Connection& connection);
  void check_times();
  void begin_drain();
  void watch_drain();
  Connection* find(uint64_t number);
  void remove_if_ended(uint64_t number);

  Shared& shared_;
  int epoll_ = -1, wake_ = -1;
  int newcomers_ = -1;  // an epoll set inside the other: listeners, and connections that are not open yet
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::function<void(std::unique_ptr<Link>)> on_link_;
  std::unordered_map<uint64_t, std::unique_ptr<Connection>> connections_;
  uint64_t last_number_ = 1 << 20;  // smaller ones are listeners'
  std::vector<uint64_t> to_flush_;
  std::vector<std::function<void()>> to_pool_;
  std::deque<uint64_t> parked_;
  std::vector<std::pair<uint64_t, Answer>> own_answers_;  // that this thread has posted
  std::vector<uint8_t> scratch_;
  uint64_t looked_ns_ = 0;  // for newcomers
  uint64_t next_check_ns_ = 0, drain_until_ns_ = 0, close_until_ns_ = 0;
  bool accepting_ = true;

  std::mutex mail_mutex_;
  std::vector<std::unique_ptr<Link>> new_links_;
  std::vector<std::pair<uint64_t, Answer>> answers_;
  std::condition_variable drained_changed_;
  bool drained_ = false;
  std::optional<std::set<Nonce>> goodbye_;  // clients that are not told
  std::atomic<bool> stopping_ = false, awake_ = false;
  std::thread thread_;
};

}  // namespace headrace::forward
