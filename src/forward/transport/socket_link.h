// A Link over a stream socket, and what TCP and AF_UNIX have in common.
#pragma once
#include <sys/socket.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "forward/transport/link.h"

namespace headrace::forward {

class SocketLink : public Link {
 public:
  /// Owns the descriptor.
  SocketLink(int fd, bool own_user, std::string peer) : fd_(fd), own_user_(own_user), peer_(std::move(peer)) {}
  ~SocketLink() override;
  int descriptor() const override { return fd_; }
  ssize_t receive(void* into, size_t bytes, int* passed) override;
  ssize_t send(const iovec* parts, int count, int pass) override;
  bool is_own_user() const override { return own_user_; }
  std::string peer() const override { return peer_; }

 private:
  const int fd_;
  const bool own_user_;
  const std::string peer_;
};

/// Connects within `patience_ms`; what is done with the socket afterwards does not wait.
base::Status connect_socket(int fd, const sockaddr* to, socklen_t size, int patience_ms, const std::string& name);

}  // namespace headrace::forward
