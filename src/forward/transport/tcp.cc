#include "forward/transport/tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forward/transport/interfaces.h"
#include "forward/transport/socket_link.h"

namespace headrace::forward {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr int kSilenceMs = 60'000;  // a node that answers nothing for so long is gone

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Result<Address> tcp_address(const std::string& place) {
  const Status mistake(Code::kInvalid, "tcp:" + place +
                                           ": is no HOST:PORT with a number as host, as 10.0.0.3:7000, or for a server "
                                           "an interface that this node has, as ib0:7000");
  const size_t colon = place.rfind(':');
  if (colon == place.npos || colon + 1 == place.size()) return mistake;
  std::string host = place.substr(0, colon);
  char* end = nullptr;
  const unsigned long port = strtoul(place.c_str() + colon + 1, &end, 10);
  if (*end != '\0' || port > 65535) return mistake;
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof *v4;
  } else if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof *v6;
  } else {
    return mistake;
  }
  return address;
}

std::string text_of(const Address& address) {
  char host[INET6_ADDRSTRLEN] = "?";
  const bool v4 = address.storage.ss_family == AF_INET;
  const auto* in4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
  const auto* in6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
  inet_ntop(address.storage.ss_family,
            v4 ? static_cast<const void*>(&in4->sin_addr) : static_cast<const void*>(&in6->sin6_addr), host,
            sizeof host);
  const std::string port = std::to_string(ntohs(v4 ? in4->sin_port : in6->sin6_port));
  return v4 ? std::string(host) + ":" + port : "[" + std::string(host) + "]:" + port;
}

void set_up(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kSilenceMs, sizeof kSilenceMs);
}

class TcpListener : public Listener {
 public:
  explicit TcpListener(int fd) : fd_(fd) {}
  ~TcpListener() override { close(fd_); }
  int descriptor() const override { return fd_; }
  std::string address() const override {
    Address own;
    own.size = sizeof own.storage;
    getsockname(fd_, own.get(), &own.size);
    return "tcp:" + text_of(own);
  }
  std::unique_ptr<Link> accept() override {
    Address peer;
    peer.size = sizeof peer.storage;
    const int fd = accept4(fd_, peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return nullptr;
    set_up(fd);
    return std::make_unique<SocketLink>(fd, false, text_of(peer));
  }

 private:
  const int fd_;
};

}  // namespace

Result<std::unique_ptr<Listener>> listen_tcp(const std::string& host_and_port) {
  const size_t colon = host_and_port.rfind(':');
  const std::string number = colon == host_and_port.npos ? "" : address_of_interface(host_and_port.substr(0, colon));
  const std::string place = number.empty() ? host_and_port : number + host_and_port.substr(colon);
  HEADRACE_ASSIGN(const Address address, tcp_address(place));
  const int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd < 0 || bind(fd, address.get(), address.size) != 0 || ::listen(fd, SOMAXCONN) != 0) {
    const Status failed(Code::kIo, "tcp:" + place + ": " + strerror(errno));
    if (fd >= 0) close(fd);
    return failed;
  }
  return std::unique_ptr<Listener>(std::make_unique<TcpListener>(fd));
}

Result<std::unique_ptr<Link>> connect_tcp(const std::string& place, int patience_ms) {
  HEADRACE_ASSIGN(const Address address, tcp_address(place));
  const int fd = placed(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd < 0) return Status(Code::kIo, std::string("socket: ") + strerror(errno));
  auto link = std::make_unique<SocketLink>(fd, false, "tcp:" + place);
  HEADRACE_TRY(connect_socket(fd, address.get(), address.size, patience_ms, "tcp:" + place));
  set_up(fd);
  return std::unique_ptr<Link>(std::move(link));
}

}  // namespace headrace::forward
