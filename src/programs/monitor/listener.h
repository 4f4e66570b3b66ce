// Answers GET /metrics on loopback, one client after the other. Sampling never waits for one: it may ask for a second,
// and take the answer for ten, while the monitor would be idle.
#pragma once
#include <poll.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"

namespace headrace::programs {

/// One thread at a time.
class Listener {
 public:
  Listener() = default;
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// "127.0.0.1:PORT" or "[::1]:PORT". kInvalid: another address. kIo.
  base::Status listen(const std::string& address);
  bool listens() const { return descriptor_ >= 0; }
  /// For poll(2): when it is ready, go_on().
  pollfd waits_for() const;
  /// There is a client, or none can be taken for now: go_on() within about a second, ready or not.
  bool busy() const { return client_ >= 0 || pause_until_ms_ != 0; }
  /// The port that it got.
  int port() const { return port_; }
  /// As far as can be done at once: takes a client, hears what it asks, sends the answer. `metrics` makes the text.
  void go_on(const std::function<std::string()>& metrics);

 private:
  bool take();
  bool hear(const std::function<std::string()>& metrics);
  void send_rest();
  void leave();

  int descriptor_ = -1, port_ = 0;
  int client_ = -1;
  std::string left_;  // what it is answered, of which `sent_` bytes are sent; "": it has not asked yet
  size_t sent_ = 0;
  int64_t until_ms_ = 0;        // the client has to be done
  int64_t pause_until_ms_ = 0;  // 0: clients can be taken
};

}  // namespace headrace::programs
