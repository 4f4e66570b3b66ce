// A Link over a stream socket, and what TCP and AF_UNIX have in common.
#pragma once
#include <sys/socket.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "forward/transport/link.h"

namespace headrace::forward {

/// Clients in programs that are not ours: `place` moves each new descriptor to where the program does not meet it. A
/// link then looks before each use whether its descriptor is still its own, since the program may close all numbers;
/// without one it uses and closes no descriptor at all.
using Placer = int(int fd);
void place_descriptors(Placer* place);
/// `fd`, where it belongs.
int placed(int fd);

class SocketLink : public Link {
 public:
  /// Owns the descriptor.
  SocketLink(int fd, bool own_user, std::string peer);
  ~SocketLink() override;
  int descriptor() const override { return fd_; }
  ssize_t receive(void* into, size_t bytes, int* passed) override;
  ssize_t send(const iovec* parts, int count, int pass) override;
  bool is_own_user() const override { return own_user_; }
  std::string peer() const override { return peer_; }

 private:
  bool is_mine() const;

  const int fd_;
  const uint64_t inode_;  // 0: nobody else touches it
  const bool own_user_;
  const std::string peer_;
};

/// Connects within `patience_ms`; what is done with the socket afterwards does not wait.
base::Status connect_socket(int fd, const sockaddr* to, socklen_t size, int patience_ms, const std::string& name);

}  // namespace headrace::forward
