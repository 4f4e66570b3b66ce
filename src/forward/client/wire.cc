#include "forward/client/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "forward/client/memory_parts.h"
#include "forward/protocol/codec.h"
#include "forward/transport/transport.h"

namespace headrace::forward {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kInbox = 64 << 10;
constexpr size_t kWindowFrom = 8 << 10;  // smaller data is as quick through the socket
constexpr int kSilenceMs = 60'000;       // a server that has begun a message, or stopped taking one, goes on by then
constexpr size_t kMostParts = 512;       // of one send
constexpr uint64_t kMillisecond = 1'000'000;

/// Waits for the connection: `events` of poll. False when nothing came. Signals do not make it wait longer: a program
/// that is sent one more often than that, such as by a profiler's timer, would wait for ever.
bool wait_for(int fd, short events, int timeout_ms) {
  const uint64_t end = base::clock_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(timeout_ms) * kMillisecond;
  for (;;) {
    pollfd poller{fd, events, 0};
    const int ready = poll(&poller, 1, timeout_ms);
    if (ready >= 0 || errno != EINTR) return ready > 0;
    const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
    if (now >= end) return false;
    timeout_ms = static_cast<int>((end - now + kMillisecond - 1) / kMillisecond);
  }
}

/// The flag byte and the window's place, in a header that is already bytes.
void set_place(std::vector<uint8_t>& frame, const Header& header) {
  frame[5] = header.flags;
  base::ByteWriter(frame).set_u32(20, header.window);
}

}  // namespace

Wire::Wire(std::string address, WireOptions options)
    : address_(std::move(address)), options_(std::move(options)), client_(random_secret()), inbox_(kInbox) {}

void Wire::close() { link_.reset(); }

Status Wire::connect() {
  close();
  begin_ = end_ = 0;
  seal_ = open_ = Sealer();
  shaken_by_ns_ = base::clock_ns(CLOCK_MONOTONIC) + options_.connect_ms * kMillisecond;
  HEADRACE_ASSIGN(link_, forward::connect(address_, static_cast<int>(options_.connect_ms)));
  Request hello;
  hello.op = Op::kHello;
  hello.oldest = hello.newest = kVersion;
  hello.client = client_;
  hello.nonce = random_secret();
  hello.size = options_.window;
  std::vector<uint8_t> body;
  auto reply = shake(hello, &body, nullptr);
  Status status = reply.ok() ? prove_and_set_up(hello.nonce, *reply) : reply.status();
  shaken_by_ns_ = 0;
  if (!status.ok()) close();
  if (status.ok()) ++connection_;
  return status;
}

Status Wire::prove_and_set_up(const Nonce& nonce, const Reply& hello) {
  Request prove;
  prove.op = Op::kProve;
  if (!link_->is_own_user()) {
    if (!options_.secret.has_value())
      return {Code::kInvalid,
              address_ + ": needs the job's secret; --forward-secret (of status, --secret) names its file"};
    const Secret& secret = *options_.secret;
    if (!same(hello.proof, derive(secret, "server", nonce, hello.nonce)))
      return {Code::kInvalid, address_ + ": the server has another secret than the one given"};
    prove.proof = derive(secret, "client", nonce, hello.nonce);
    seal_ = Sealer(derive(secret, "to server", nonce, hello.nonce));
    open_ = Sealer(derive(secret, "to client", nonce, hello.nonce));
  }
  std::vector<uint8_t> body;
  int passed = -1;
  const auto reply = shake(prove, &body, &passed);
  window_.reset();
  if (reply.ok() && reply->window > 0 && passed >= 0)
    window_ = Window::map(passed, reply->window);
  else if (passed >= 0)
    ::close(passed);
  if (window_ != nullptr) window_->close_descriptor();
  if (!reply.ok()) return reply.status();
  if (!roots_.empty() && !placement_.agrees(reply->placement))
    return {Code::kInvalid, address_ +
                                ": the server was started anew with other settings of --place, --stripe-size or "
                                "--write-through; start it with those that it had"};
  placement_ = reply->placement;
  room_ = WindowRoom(window_ == nullptr ? 0 : window_->size());
  most_data_ = reply->most_data;
  instance_ = reply->instance;
  std::vector<OwnedRoot> roots;
  for (const Root& root : reply->roots)
    roots.push_back({std::string(root.path), {root.handle.begin(), root.handle.end()}});
  if (roots_.empty()) roots_ = std::move(roots);
  return {};
}

Result<Reply> Wire::shake(const Request& request, std::vector<uint8_t>* body, int* passed) {
  const auto refused = [this](int error) {
    if (error != ETIMEDOUT)
      return Status(Code::kIo, address_ + ": the server ended the connection; is it of this job and user?");
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%g s", options_.connect_ms / 1000.0);
    return Status(Code::kIo, address_ + ": no answer within " + seconds + "; does the server stand still?");
  };
  std::vector<uint8_t> frame;
  encode_request({}, request, &frame);
  seal_.seal(frame);
  if (const int error = send_all({{frame.data(), frame.size()}}, [] {}); error != 0) return refused(error);
  frame.resize(kHeaderBytes);
  if (const int error = receive_exactly(frame.data(), kHeaderBytes, passed); error != 0) return refused(error);
  const auto header = decode_header(frame);
  if (!header.ok()) return Status(Code::kForeign, address_ + ": does not speak the protocol of forwarding");
  frame.resize(kHeaderBytes + header->body);
  if (const int error = receive_exactly(frame.data() + kHeaderBytes, header->body, nullptr); error != 0)
    return refused(error);
  const bool opens = request.op == Op::kHello || open_.opens(frame.data(), frame.size());
  body->assign(frame.begin() + kHeaderBytes, frame.end());
  auto reply = decode_reply(*header, *body);
  if (!opens || !reply.ok() || reply->op != request.op)
    return Status(Code::kForeign, address_ + ": does not speak the protocol of forwarding");
  if (header->limit == EPROTONOSUPPORT)
    return Status(Code::kUnsupported, address_ + ": the server speaks another version of the protocol");
  if (header->limit != 0) return Status(Code::kIo, address_ + ": " + strerror(static_cast<int>(header->limit)));
  return *reply;
}

bool Wire::use_window(Pending& pending) {
  if (window_ == nullptr || pending.header.data < kWindowFrom) return false;
  const std::lock_guard<std::mutex> lock(room_mutex_);
  const uint64_t at = room_.take(pending.header.data);
  if (at == WindowRoom::kNone) return false;
  pending.window_at = at;
  pending.window_units = room_.units(pending.header.data);
  return true;
}

void Wire::release(Pending& pending) {
  if (pending.window_units == 0) return;
  const std::lock_guard<std::mutex> lock(room_mutex_);
  room_.give(pending.window_at, pending.window_units);
  pending.window_units = 0;
}

int Wire::send(Pending& pending, const std::function<void()>& meanwhile) {
  if (link_ == nullptr) return ENOTCONN;
  const auto op = static_cast<Op>(pending.header.op);
  const bool outward = op != Op::kRead;
  const bool in_window = use_window(pending);
  pending.header.flags = in_window ? kInWindow : 0;
  pending.header.window = in_window ? static_cast<uint32_t>(pending.window_at) : 0;
  set_place(pending.frame, pending.header);
  std::vector<uint8_t> sealed = pending.frame;
  seal_.seal(sealed);
  std::vector<iovec> parts = {{sealed.data(), sealed.size()}};
  if (in_window && outward)
    gather(pending.memory, window_->data() + pending.window_at);
  else if (outward)
    parts.insert(parts.end(), pending.memory.begin(), pending.memory.end());
  return send_all(std::move(parts), meanwhile);
}

/// How long the other end may say or take nothing: in a handshake, which others wait for, until that has to be over.
int Wire::patience_ms() const {
  if (shaken_by_ns_ == 0) return kSilenceMs;
  const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
  return now >= shaken_by_ns_ ? 0 : static_cast<int>((shaken_by_ns_ - now + kMillisecond - 1) / kMillisecond);
}

int Wire::send_all(std::vector<iovec> parts, const std::function<void()>& meanwhile) {
  size_t first = 0;
  int silent_ms = 0;
  while (first < parts.size()) {
    const ssize_t put = link_->send(parts.data() + first, static_cast<int>(std::min(parts.size() - first, kMostParts)));
    if (put == -EINTR) continue;
    if (put == -EAGAIN) {
      constexpr int kStepMs = 100;
      meanwhile();
      if (wait_for(link_->descriptor(), POLLOUT, std::min(kStepMs, patience_ms())))
        silent_ms = 0;
      else if ((silent_ms += kStepMs) > patience_ms())
        return ETIMEDOUT;
      continue;
    }
    if (put < 0) return static_cast<int>(-put);
    for (size_t left = static_cast<size_t>(put); left > 0 || (first < parts.size() && parts[first].iov_len == 0);) {
      iovec& part = parts[first];
      const size_t taken = std::min(left, part.iov_len);
      part = {static_cast<uint8_t*>(part.iov_base) + taken, part.iov_len - taken};
      left -= taken;
      if (part.iov_len == 0) ++first;
    }
  }
  return 0;
}

int Wire::receive_exactly(uint8_t* into, size_t bytes, int* passed) {
  while (bytes > 0) {
    const ssize_t got = link_->receive(into, bytes, passed);
    if (got == -EINTR) continue;
    if (got == -EAGAIN) {
      if (!wait_for(link_->descriptor(), POLLIN, patience_ms())) return ETIMEDOUT;
      continue;
    }
    if (got <= 0) return got == 0 ? ECONNRESET : static_cast<int>(-got);
    into += got;
    bytes -= static_cast<size_t>(got);
  }
  return 0;
}

/// The data behind a reply: what was received with it, then straight to where it belongs.
int Wire::take_data(const Header& header, Pending* pending) {
  if (header.data == 0) return 0;
  std::vector<iovec> parts = targets(pending->memory, pending->extents, pending->reply.counts);
  uint64_t room = 0;
  for (const iovec& part : parts) room += part.iov_len;
  if (room != header.data) return EPROTO;
  if (header.flags & kInWindow) {
    if (pending->window_units == 0 || header.window != pending->window_at) return EPROTO;
    scatter(window_->data() + pending->window_at, parts);
    return 0;
  }
  for (const iovec& part : parts) {
    auto* into = static_cast<uint8_t*>(part.iov_base);
    const size_t here = std::min(part.iov_len, end_ - begin_);
    memcpy(into, inbox_.data() + begin_, here);
    begin_ += here;
    if (here == part.iov_len) continue;
    if (const int error = receive_exactly(into + here, part.iov_len - here, nullptr); error != 0) return error;
  }
  return 0;
}

int Wire::receive(int timeout_ms, const std::function<Pending*(uint64_t)>& find,
                  const std::function<void(Pending*)>& done) {
  if (link_ == nullptr) return ENOTCONN;
  if (begin_ == end_) begin_ = end_ = 0;
  ssize_t got = link_->receive(inbox_.data() + end_, inbox_.size() - end_);
  if (got == -EAGAIN) {
    if (!wait_for(link_->descriptor(), POLLIN, timeout_ms)) return 0;
    got = link_->receive(inbox_.data() + end_, inbox_.size() - end_);
  }
  if (got == -EINTR || got == -EAGAIN) return 0;
  if (got <= 0) return got == 0 ? ECONNRESET : static_cast<int>(-got);
  end_ += static_cast<size_t>(got);
  while (end_ - begin_ >= kHeaderBytes) {
    const auto header = decode_header({inbox_.data() + begin_, kHeaderBytes});
    if (!header.ok()) return EPROTO;
    const size_t whole = kHeaderBytes + header->body;
    if (end_ - begin_ < whole) {
      memmove(inbox_.data(), inbox_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
      if (inbox_.size() < whole) inbox_.resize(whole);
      break;
    }
    uint8_t* frame = inbox_.data() + begin_;
    const bool goodbye = header->op == (static_cast<uint8_t>(Op::kGoodbye) | kReplyBit);
    Pending* pending = goodbye ? nullptr : find(header->id);
    if (!open_.opens(frame, whole) || (pending == nullptr && !goodbye)) return EPROTO;
    if (goodbye) {
      const auto said = decode_reply(*header, {frame + kHeaderBytes, header->body});
      if (!said.ok() || said->instance != instance_) return EPROTO;
      begin_ += whole;
      on_goodbye();
      continue;
    }
    pending->reply_header = *header;
    pending->body.assign(frame + kHeaderBytes, frame + whole);
    begin_ += whole;
    auto reply = decode_reply(*header, pending->body);
    const bool fits = reply.ok() && static_cast<uint8_t>(reply->op) == pending->header.op &&
                      (reply->counts.empty() || reply->counts.size() == pending->extents.size());
    if (!fits) return EPROTO;
    for (size_t i = 0; i < reply->counts.size(); ++i) {
      if (reply->counts[i] > pending->extents[i].length) return EPROTO;
    }
    pending->reply = std::move(*reply);
    if (const int error = take_data(*header, pending); error != 0) return error;
    pending->moved = header->data;
    done(pending);
  }
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ == inbox_.size() && begin_ > 0) {
    memmove(inbox_.data(), inbox_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return 0;
}

}  // namespace headrace::forward
