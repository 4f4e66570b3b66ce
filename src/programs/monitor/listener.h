// Answers GET /metrics on loopback, one client after the other. Sampling never waits for one: what it does not take at
// once it gets while the monitor would be idle, for ten seconds.
#pragma once
#include <poll.h>

#include <cstdint>
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
  /// For poll(2): when it is ready, go_on() while busy(), answer() otherwise.
  pollfd waits_for() const;
  bool busy() const { return client_ >= 0; }
  /// The port that it got.
  int port() const { return port_; }
  /// Takes one client that waits, and answers what it has said by then or says within a moment.
  void answer(const std::string& text);
  /// Gives the client more of the answer; leaves one that has not taken all after ten seconds.
  void go_on();

 private:
  void leave();

  int descriptor_ = -1, port_ = 0;
  int client_ = -1;   // that is being answered
  std::string left_;  // its answer, of which `sent_` bytes are sent
  size_t sent_ = 0;
  int64_t until_ms_ = 0;
};

}  // namespace headrace::programs
