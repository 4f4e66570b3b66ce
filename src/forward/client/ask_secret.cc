#include "forward/client/ask_secret.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "forward/protocol/codec.h"
#include "forward/transport/transport.h"

namespace headrace::forward {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr int kPatienceMs = 30'000;  // with the server's MUNGE

bool receive_exactly(Link& link, uint8_t* into, size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = link.receive(into, bytes);
    pollfd poller{link.descriptor(), POLLIN, 0};
    if (got == -EAGAIN && poll(&poller, 1, kPatienceMs) == 0) return false;
    if (got == -EAGAIN || got == -EINTR) continue;
    if (got <= 0) return false;
    into += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

/// One question and its answer; requests are so short that any socket takes them whole.
Result<std::string> exchange(Link& link, const Nonce& nonce, std::string_view text) {
  const Status refused(Code::kInvalid, "the server does not tell it: it has no --munge, or is another user's");
  Request request;
  request.op = Op::kSecret;
  request.nonce = nonce;
  request.name = text;
  std::vector<uint8_t> frame;
  encode_request({}, request, &frame);
  const iovec part{frame.data(), frame.size()};
  if (link.send(&part, 1) != static_cast<ssize_t>(frame.size())) return refused;
  frame.resize(kHeaderBytes);
  if (!receive_exactly(link, frame.data(), kHeaderBytes)) return refused;
  const auto header = decode_header(frame);
  if (!header.ok() || header->body > kLongestHello) return refused;
  std::vector<uint8_t> body(header->body);
  if (!receive_exactly(link, body.data(), body.size())) return refused;
  const auto reply = decode_reply(*header, body);
  if (!reply.ok() || reply->op != Op::kSecret || header->limit != 0) return refused;
  return std::string(reply->text);
}

}  // namespace

Result<Secret> ask_secret(const std::string& address, const Munge& munge, int connect_ms) {
  HEADRACE_ASSIGN(const std::unique_ptr<Link> link, connect(address, connect_ms));
  const auto at = [&](const Status& status) { return Status(status.code(), address + ": " + status.message()); };
  const Nonce own = random_secret();
  Nonce server;
  const auto first = exchange(*link, own, "");
  if (!first.ok()) return at(first.status());
  if (!nonce_of(*first, &server))
    return Status(Code::kForeign, address + ": does not speak the protocol of forwarding");
  HEADRACE_ASSIGN(const std::string question, munge.seal(munge_question(own, server)));
  const auto second = exchange(*link, own, question);
  if (!second.ok()) return at(second.status());
  HEADRACE_ASSIGN(const std::string answer, munge.open(*second));
  return secret_of(answer, own, server);
}

}  // namespace headrace::forward
