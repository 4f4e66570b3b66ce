#include "programs/monitor/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/prometheus_text.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

constexpr int64_t kAskingMs = 1000, kTakingMs = 10'000, kPauseMs = 1000;

std::string reply(const char* status, const char* type, const std::string& body) {
  return std::string("HTTP/1.1 ") + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

int64_t now_ms() { return static_cast<int64_t>(base::clock_ns(CLOCK_MONOTONIC) / 1'000'000); }

}  // namespace

Listener::~Listener() {
  leave();
  if (descriptor_ >= 0) close(descriptor_);
}

Status Listener::listen(const std::string& address) {
  const size_t colon = address.rfind(':');
  const std::string host = address.substr(0, colon), port = colon == address.npos ? "" : address.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos;
  const int number = digits ? atoi(port.c_str()) : -1;
  if ((host != "127.0.0.1" && host != "[::1]") || number < 0 || number > 65535)
    return {
        Code::kInvalid,
        "--listen: '" + address +
            "' is neither 127.0.0.1:PORT nor [::1]:PORT; scrape from elsewhere through a proxy that asks who it is"};
  const bool six = host == "[::1]";
  sockaddr_in four_address{};
  four_address.sin_family = AF_INET;
  four_address.sin_port = htons(static_cast<uint16_t>(number));
  four_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 six_address{};
  six_address.sin6_family = AF_INET6;
  six_address.sin6_port = htons(static_cast<uint16_t>(number));
  six_address.sin6_addr = in6addr_loopback;
  auto* any = six ? reinterpret_cast<sockaddr*>(&six_address) : reinterpret_cast<sockaddr*>(&four_address);
  socklen_t length = six ? sizeof six_address : sizeof four_address;
  descriptor_ = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  if (descriptor_ < 0 || setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(descriptor_, any, length) != 0 || ::listen(descriptor_, 16) != 0 ||
      getsockname(descriptor_, any, &length) != 0)
    return {Code::kIo, "--listen: " + address + ": " + strerror(errno)};
  port_ = ntohs(six ? six_address.sin6_port : four_address.sin_port);
  return {};
}

pollfd Listener::waits_for() const {
  if (client_ < 0) return {pause_until_ms_ == 0 ? descriptor_ : -1, POLLIN, 0};
  return {client_, static_cast<short>(left_.empty() ? POLLIN : POLLOUT), 0};
}

void Listener::go_on(const std::function<std::string()>& metrics) {
  if (client_ < 0 && !take()) return;
  if (!left_.empty() || hear(metrics)) send_rest();
}

bool Listener::take() {
  if (now_ms() < pause_until_ms_) return false;
  pause_until_ms_ = 0;
  client_ = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  // Without a descriptor or memory the client goes on waiting, and would be there at once each time.
  if (client_ < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
    pause_until_ms_ = now_ms() + kPauseMs;
  until_ms_ = now_ms() + kAskingMs;
  return client_ >= 0;
}

/// False: it has not asked yet, or is gone.
bool Listener::hear(const std::function<std::string()>& metrics) {
  char request[2048];
  const ssize_t got = recv(client_, request, sizeof request, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR) && now_ms() < until_ms_) return false;
  if (got <= 0) return leave(), false;
  const std::string_view asked(request, static_cast<size_t>(got));
  const bool known = asked.starts_with("GET /metrics ") || asked.starts_with("GET /metrics?");
  const bool open_metrics = base::accepts_open_metrics(asked);
  const char* type = open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                  : "text/plain; version=0.0.4; charset=utf-8";
  const auto said = [&] { return open_metrics ? metrics() : base::prometheus_text(metrics()); };
  left_ = known ? reply("200 OK", type, said())
                : reply("404 Not Found", "text/plain; charset=utf-8", "headrace monitor answers GET /metrics\n");
  sent_ = 0;
  until_ms_ = now_ms() + kTakingMs;
  return true;
}

void Listener::send_rest() {
  while (sent_ < left_.size()) {
    const ssize_t sent = send(client_, left_.data() + sent_, left_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN && now_ms() < until_ms_) return;
    if (sent <= 0) break;
    sent_ += static_cast<size_t>(sent);
  }
  leave();
}

void Listener::leave() {
  if (client_ < 0) return;
  shutdown(client_, SHUT_WR);
  close(std::exchange(client_, -1));
  left_ = {};
}

}  // namespace headrace::programs
