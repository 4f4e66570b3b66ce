// Answers GET /metrics on loopback. It never waits for a client: one that is slow is left.
#pragma once
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
  /// For poll(2), on POLLIN; -1: it does not listen.
  int descriptor() const { return descriptor_; }
  /// The port that it got.
  int port() const { return port_; }
  /// Takes one client that waits, and answers what it has said by then or says within a moment.
  void answer(const std::string& text);

 private:
  int descriptor_ = -1, port_ = 0;
};

}  // namespace headrace::programs
