// One client's connection: receives calls, has them done, sends answers. Lives in the thread of its event loop.
//
// A message is begun when there is a buffer for all of it; until then the connection is parked, which means that
// nothing more is received from it. What is wrong with a message ends the connection: whoever sends garbage would
// send more.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "forward/server/call.h"
#include "forward/server/inbox.h"
#include "forward/server/shared.h"
#include "forward/transport/link.h"

namespace headrace::forward {

class EventLoop;

class Connection {
 public:
  Connection(EventLoop& loop, Shared& shared, uint64_t number, std::unique_ptr<Link> link);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// `scratch` is room to receive into that nobody else uses meanwhile.
  void readable(std::span<uint8_t> scratch);
  /// Sends what waits to be sent.
  void flush();
  /// There may be memory again.
  void unpark();
  /// A call's answer.
  void deliver(Answer answer);
  /// Ends it when it has taken too long over something.
  void check_time(uint64_t now);
  /// Takes no more calls; those that run are still answered.
  void drain() { draining_ = true; }
  bool idle() const { return ended_ || (running_ == 0 && out_.empty()); }
  /// Ends it as soon as it has its answers. `brought`: what this client wrote is in the files, which it is told.
  void say_goodbye(bool brought);

  void end() { ended_ = true; }
  bool ended() const { return ended_ || (closing_ && idle()); }
  bool wants_input() const;
  bool wants_output() const { return !out_.empty() && !ended_; }
  bool has_deadline() const { return deadline_ns_ != 0 || send_deadline_ns_ != 0; }
  Link& link() { return *link_; }
  uint64_t number() const { return number_; }
  const Nonce& client() const { return client_; }
  /// Has shown who it is; until then it is a newcomer.
  bool is_open() const { return stage_ == Stage::kOpen; }
  // The loop's: which events are asked for, and whether among those of newcomers.
  uint32_t armed = 0;
  bool newcomer = true;

 private:
  enum class Stage { kHello, kAsked, kProve, kOpen };
  struct Out {
    Answer answer;
    size_t sent = 0;
    int pass = -1;
  };

  bool take(uint8_t* bytes, size_t size);
  void received(Call call, uint8_t* frame);
  void hello(const Call& call);
  void prove(const Call& call);
  void tell_secret(const Call& call);
  void dispatch(Call call);
  void keep(const Call& call);
  void run(Call call, bool once);
  void append(Call call);
  void write(Call call);
  void read(Call call);
  bool flush_first(std::shared_ptr<Call> call, bool once);
  void queue(Answer answer, int pass = -1);
  void watch_time();
  void refuse_peer(std::atomic<uint64_t>& counter);

  EventLoop& loop_;
  Shared& shared_;
  const uint64_t number_;
  std::unique_ptr<Link> link_;
  Stage stage_ = Stage::kHello;
  Inbox inbox_;
  Sealer open_, seal_;
  Nonce client_{}, expected_{}, server_nonce_{};
  uint64_t wanted_window_ = 0;
  std::shared_ptr<Window> window_;
  std::shared_ptr<Session> session_;
  std::deque<Out> out_;
  size_t running_ = 0;
  uint64_t deadline_ns_ = 0, send_deadline_ns_ = 0;
  bool ended_ = false, draining_ = false, closing_ = false, keeps_ = false;
};

}  // namespace headrace::forward
