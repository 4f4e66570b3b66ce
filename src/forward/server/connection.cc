#include "forward/server/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <algorithm>

#include "base/clock.h"
#include "forward/protocol/codec.h"
#include "forward/server/event_loop.h"

namespace headrace::forward {
namespace {

constexpr size_t kMostRunning = 1024;     // calls of a connection at once
constexpr size_t kMostQueued = 256;       // answers that it has not taken
constexpr size_t kMostParts = 64;         // of one send
constexpr size_t kDirectFrom = 16 << 10;  // as much missing data is received where it belongs
constexpr size_t kPerTurn = 1 << 20;      // bytes, then others get their turn
constexpr size_t kSmallestWindow = 1 << 20;
constexpr uint32_t kTakenAtOnce = 128 << 10;  // of a write; more is copied in another thread
constexpr uint64_t kBytesPerMs = 1000;        // a peer slower than 1 MB/s has not that much time more

bool is_late(Shared& shared, const Call& call) {
  const uint64_t waited_ns = base::clock_ns(CLOCK_MONOTONIC) - call.begun_ns;
  const bool late = call.header.limit != 0 && waited_ns > uint64_t{call.header.limit} * 1'000'000;
  if (late) shared.counters.expired += 1;
  return late;
}

/// The call stays until its data is held, which answers it.
HeldWrite held_write(Shared& shared, const std::shared_ptr<Call>& call, Route route) {
  HeldWrite write;
  const uint8_t* from = call->data;
  write.pieces.reserve(call->request.extents.size());
  for (const Extent& extent : call->request.extents) {
    write.pieces.push_back({extent, from, call->client});
    from += extent.length;
  }
  write.done = [call, route, &shared](const std::vector<BadRange>& failed) {
    route.loop->post(route.connection, answer_write(shared.services, *call, failed, base::clock_ns(CLOCK_MONOTONIC)));
  };
  return write;
}

std::function<void()> work_of(Shared& shared, const std::shared_ptr<Call>& call, bool once, Route route,
                              const std::shared_ptr<Session>& session) {
  return [call, once, route, session, &shared] {
    Answer answer = is_late(shared, *call) ? refuse(*call, ETIMEDOUT) : execute(shared.services, *call);
    const Route back = once ? session->finish(call->header.id, answer.frame) : route;
    if (back.loop != nullptr) back.loop->post(back.connection, std::move(answer));
  };
}

}  // namespace

Connection::Connection(EventLoop& loop, Shared& shared, uint64_t number, std::unique_ptr<Link> link)
    : loop_(loop),
      shared_(shared),
      number_(number),
      link_(std::move(link)),
      inbox_(shared.buffers, [this](Call call, uint8_t* frame) {
        received(std::move(call), frame);
        return !ended_;
      }) {
  inbox_.bounds = {kLongestHello, 0, true};
  deadline_ns_ = base::clock_ns(CLOCK_MONOTONIC) + shared_.limits.hello_ns;
}

Connection::~Connection() {
  // TCP throws away what is on its way to the client when something of its own has not been read.
  uint8_t rest[4096];
  for (int i = 0; closing_ && i < 256 && link_->receive(rest, sizeof rest) > 0; ++i) {
  }
  if (session_ != nullptr) {
    shared_.locks.gone(client_);
    shared_.opens.gone(client_);
    shared_.sessions.detach(session_);
  }
  if (keeps_) shared_.on_unkept();
  if (window_ != nullptr) {
    shared_.counters.windows -= 1;
    window_.reset();
  }
}

void Connection::refuse_peer(std::atomic<uint64_t>& counter) {
  counter += 1;
  ended_ = true;
}

bool Connection::wants_input() const {
  return !ended_ && !draining_ && !inbox_.parked() && running_ < kMostRunning && out_.size() < kMostQueued;
}

void Connection::readable(std::span<uint8_t> scratch) {
  size_t turn = 0;
  while (wants_input() && turn < kPerTurn) {
    const std::span<uint8_t> direct = inbox_.direct();
    const bool straight = direct.size() >= kDirectFrom;
    const std::span<uint8_t> into = straight ? direct : scratch;
    const ssize_t got = link_->receive(into.data(), into.size());
    if (got == -EINTR) continue;
    if (got == -EAGAIN) break;
    if (got <= 0) {
      ended_ = true;
      return;
    }
    turn += static_cast<size_t>(got);
    if (straight)
      inbox_.received_direct(static_cast<size_t>(got));
    else if (inbox_.take(scratch.data(), static_cast<size_t>(got)) == Inbox::State::kBroken && !ended_)
      refuse_peer(shared_.counters.refused_messages);
    if (!straight && static_cast<size_t>(got) < into.size()) break;  // there is no more now
  }
  watch_time();
}

/// While a message is on its way it has to arrive; waiting for our memory is not the peer's fault.
void Connection::watch_time() {
  if (inbox_.parked()) {
    shared_.counters.parked += 1;
    loop_.park(number_);
  }
  if (stage_ != Stage::kOpen) return;
  if (!inbox_.inside() || inbox_.parked())
    deadline_ns_ = 0;
  else if (deadline_ns_ == 0)
    deadline_ns_ =
        base::clock_ns(CLOCK_MONOTONIC) + shared_.limits.message_ns + inbox_.header().data / kBytesPerMs * 1'000'000;
}

void Connection::unpark() {
  if (draining_) return;
  if (inbox_.retry() == Inbox::State::kBroken && !ended_) refuse_peer(shared_.counters.refused_messages);
  watch_time();
}

void Connection::received(Call call, uint8_t* frame) {
  const size_t size = kHeaderBytes + call.header.body;
  if (!open_.opens(frame, size)) return refuse_peer(shared_.counters.refused_messages);
  auto request = decode_request(call.header, {frame + kHeaderBytes, call.header.body});
  if (!request.ok()) return refuse_peer(shared_.counters.refused_messages);
  call.request = std::move(*request);
  call.begun_ns = base::clock_ns(CLOCK_MONOTONIC);
  call.client = client_;
  if (stage_ == Stage::kHello && call.request.op == Op::kHello) return hello(call);
  if (stage_ == Stage::kProve && call.request.op == Op::kProve) return prove(call);
  const Op op = call.request.op;
  if (op == Op::kSecret && (stage_ == Stage::kHello || stage_ == Stage::kAsked)) return tell_secret(call);
  if (stage_ != Stage::kOpen || op == Op::kSecret || op == Op::kHello || op == Op::kProve || op == Op::kGoodbye)
    return refuse_peer(shared_.counters.refused_messages);
  if (call.header.flags & kInWindow) {
    if (window_ == nullptr || !window_->holds(call.header.window, call.header.data))
      return refuse_peer(shared_.counters.refused_messages);
    call.window = window_;
    call.data = window_->data() + call.header.window;
  }
  dispatch(std::move(call));
}

void Connection::hello(const Call& call) {
  if (call.request.oldest > kVersion || call.request.newest < kVersion) {
    queue(refuse(call, EPROTONOSUPPORT));
    draining_ = closing_ = true;
    return;
  }
  client_ = call.request.client;
  wanted_window_ = call.request.size;
  server_nonce_ = random_secret();
  Reply reply;
  reply.op = Op::kHello;
  reply.version = kVersion;
  reply.nonce = server_nonce_;
  reply.proof = derive(shared_.secret, "server", call.request.nonce, server_nonce_);
  expected_ = derive(shared_.secret, "client", call.request.nonce, server_nonce_);
  if (!link_->is_own_user()) {
    open_ = Sealer(derive(shared_.secret, "to server", call.request.nonce, server_nonce_));
    seal_ = Sealer(derive(shared_.secret, "to client", call.request.nonce, server_nonce_));
  } else {
    reply.proof = {};  // nothing is made known that nobody needs
  }
  Answer answer;
  Header header;
  header.id = call.header.id;
  encode_reply(header, reply, &answer.frame);
  stage_ = Stage::kProve;
  out_.push_back({std::move(answer)});  // not sealed: the peer has the key only after this
  flush();
}

/// Asked twice: for a number that this connection alone has, and with that number, sealed by MUNGE.
void Connection::tell_secret(const Call& call) {
  if (shared_.munge == nullptr || running_ > 0) return refuse_peer(shared_.counters.refused_strangers);
  const auto own = std::make_shared<Call>();
  own->header = call.header;
  own->request.op = Op::kSecret;
  const auto answer_with = [](const Call& to, const std::string& text) {
    Reply reply;
    reply.op = Op::kSecret;
    reply.text = text;
    Answer answer;
    Header header;
    header.id = to.header.id;
    encode_reply(header, reply, &answer.frame);
    return answer;
  };
  if (stage_ == Stage::kHello) {
    stage_ = Stage::kAsked;
    client_ = call.request.nonce;
    server_nonce_ = random_secret();
    return queue(answer_with(*own, hex_of(server_nonce_)));
  }
  ++running_;
  draining_ = closing_ = true;
  deadline_ns_ = 0;  // what takes time now is not the peer's fault
  shared_.munge_pool.add([own, sealed = std::string(call.request.name), client = client_, server = server_nonce_,
                          route = Route{&loop_, number_}, answer_with, &shared = shared_] {
    const auto question = shared.munge->open(sealed);
    const bool same_user = question.ok() && *question == munge_question(client, server);
    const auto answer = same_user ? shared.munge->seal(munge_answer(client, server, shared.secret))
                                  : base::Result<std::string>(base::Status(base::Code::kInvalid, "a stranger"));
    if (!answer.ok()) shared.counters.refused_strangers += 1;
    route.loop->post(route.connection, answer.ok() ? answer_with(*own, *answer) : refuse(*own, EACCES));
  });
}

void Connection::prove(const Call& call) {
  if (!link_->is_own_user() && !same(call.request.proof, expected_))
    return refuse_peer(shared_.counters.refused_strangers);
  stage_ = Stage::kOpen;
  deadline_ns_ = 0;
  inbox_.bounds = {kLongestBody, shared_.limits.most_data, !shared_.backend.sleeps()};
  session_ = shared_.sessions.attach(client_);
  shared_.locks.arrived(client_);
  shared_.opens.arrived(client_);
  if (link_->is_own_user() && wanted_window_ >= kSmallestWindow)
    window_ = loop_.make_window(static_cast<size_t>(std::min<uint64_t>(wanted_window_, shared_.limits.window)));
  if (window_ != nullptr) shared_.counters.windows += 1;
  Reply reply;
  reply.op = Op::kProve;
  reply.most_data = shared_.limits.most_data;
  reply.instance = shared_.instance;
  reply.placement = shared_.placement;
  reply.window = window_ == nullptr ? 0 : static_cast<uint32_t>(window_->size());
  const std::vector<std::string> paths = shared_.backend.roots();
  std::vector<std::vector<uint8_t>> handles;
  for (uint16_t i = 0; i < paths.size(); ++i) handles.push_back(shared_.handles.make(root_file(i)));
  for (size_t i = 0; i < paths.size(); ++i) reply.roots.push_back({paths[i], handles[i]});
  Answer answer;
  Header header;
  header.id = call.header.id;
  encode_reply(header, reply, &answer.frame);
  queue(std::move(answer), window_ == nullptr ? -1 : window_->descriptor());
}

void Connection::dispatch(Call call) {
  const bool once = happens_once(call.request.op);
  if (!once) return run(std::move(call), false);
  Answer answer;
  switch (session_->begin(call.header.id, call.header.passed, {&loop_, number_}, &answer.frame, &call.before)) {
    case Session::Standing::kNew:
      return run(std::move(call), true);
    case Session::Standing::kRunning:
      shared_.counters.repeated += 1;
      ++running_;
      return;
    case Session::Standing::kDone:
      shared_.counters.repeated += 1;
      return queue(std::move(answer));
    case Session::Standing::kPassed:
    case Session::Standing::kTooMany:
      return refuse_peer(shared_.counters.refused_messages);
  }
}

/// The server ends when this connection does, if it was started for somebody who says so.
void Connection::keep(const Call& call) {
  if (!shared_.on_unkept) return queue(refuse(call, EPERM));
  keeps_ = shared_.kept = true;
  Answer answer;
  Header header;
  header.id = call.header.id;
  Reply reply;
  reply.op = Op::kKeep;
  encode_reply(header, reply, &answer.frame);
  queue(std::move(answer));
}

void Connection::run(Call call, bool once) {
  if (call.request.op == Op::kKeep) return keep(call);
  if (call.request.op == Op::kAppend) return append(std::move(call));
  // What is held is known without asking the file system.
  const bool at_once = call.request.op == Op::kHeld && call.request.flags == 0;
  if (!shared_.backend.sleeps() || at_once) {
    Answer answer = execute(shared_.services, call);
    if (once) session_->finish(call.header.id, answer.frame);
    return queue(std::move(answer));
  }
  if (call.request.op == Op::kWrite && shared_.write_buffer.on() && !(call.request.flags & kThrough))
    return write(std::move(call));
  if (call.request.op == Op::kRead) return read(std::move(call));
  ++running_;
  const auto waiting = std::make_shared<Call>(std::move(call));
  if (flush_first(waiting, once)) return;
  loop_.work_later(work_of(shared_, waiting, once, {&loop_, number_}, session_));
}

/// Calls that are done when what is held of a file is stored: no thread waits for that.
bool Connection::flush_first(std::shared_ptr<Call> call, bool once) {
  const Request& request = call->request;
  const bool commit = request.op == Op::kCommit;
  // Times that are set must not be those of a flush later; what is written through comes after what was held.
  const bool bring = request.op == Op::kHeld && (request.flags & kBring);
  if (!commit && !bring && request.op != Op::kSetattr && request.op != Op::kWrite) return false;
  const auto file = shared_.handles.open(request.handle);
  const auto held = file.ok() ? shared_.write_buffer.find(*file) : nullptr;
  if (held == nullptr) return false;
  Range range{0, UINT64_MAX};
  if (commit) range = range_or_all(request.range);
  if (request.op == Op::kWrite) {
    range = {UINT64_MAX, 0};
    for (const Extent& extent : request.extents)
      range = {std::min(range.begin, extent.offset), std::max(range.end, extent.offset + extent.length)};
  }
  call->flush_ns = base::clock_ns(CLOCK_MONOTONIC);
  held->flush(range, FlushReason::kCommit,
              [call, once, route = Route{&loop_, number_}, session = session_, &shared = shared_](auto failed) {
                call->failed = std::move(failed);
                shared.pool.add(work_of(shared, call, once, route, session));
              });
  return true;
}

/// A write that is answered when its data is held. Small ones are taken here: a thread more would cost more.
void Connection::write(Call call) {
  const auto file = shared_.handles.open(call.request.handle);
  if (!file.ok()) return queue(refuse(call, file.error()));
  const auto waiting = std::make_shared<Call>(std::move(call));
  const auto held = waiting->header.data <= kTakenAtOnce ? shared_.write_buffer.find(*file) : nullptr;
  const Route route{&loop_, number_};
  if (held != nullptr) {
    HeldWrite write = held_write(shared_, waiting, route);
    if (held->write(&write)) return queue(answer_write(shared_.services, *waiting, {}, waiting->begun_ns));
    ++running_;
    return;
  }
  ++running_;
  loop_.work_later([waiting, route, file = *file, &shared = shared_] {
    const auto opened = is_late(shared, *waiting) ? Outcome<std::shared_ptr<HeldFile>>(Failed{ETIMEDOUT})
                                                  : shared.write_buffer.open(file);
    Answer answer;
    if (!opened.ok()) {
      answer = refuse(*waiting, opened.error());
    } else if (*opened == nullptr) {
      answer = execute(shared.services, *waiting);
    } else {
      const uint64_t begun_ns = base::clock_ns(CLOCK_MONOTONIC);
      HeldWrite write = held_write(shared, waiting, route);
      if (!(*opened)->write(&write)) return;
      answer = answer_write(shared.services, *waiting, {}, begun_ns);
    }
    route.loop->post(route.connection, std::move(answer));
  });
}

void Connection::read(Call call) {
  ++running_;
  const auto waiting = std::make_shared<Call>(std::move(call));
  const Route route{&loop_, number_};
  const auto done = [route](Answer answer) { route.loop->post(route.connection, std::move(answer)); };
  if (!shared_.reads.add(shared_.services, shared_.pool, waiting, done))
    loop_.work_later(work_of(shared_, waiting, false, route, session_));
}

void Connection::append(Call call) {
  ++running_;
  const uint64_t id = call.header.id;
  if (!call.frame) {  // handle and data are where the next bytes will be received, and others may answer this call
    const base::Bytes handle = call.request.handle;
    const size_t bytes = call.window == nullptr ? call.header.data : 0;
    call.kept.assign(handle.begin(), handle.end());
    if (bytes > 0) call.kept.insert(call.kept.end(), call.data, call.data + bytes);
    if (bytes > 0) call.data = call.kept.data() + handle.size();
    call.request.handle = base::Bytes(call.kept).first(handle.size());
  }
  // Also where calls are done at once the answer takes the way of the others: another loop may be the one to write.
  shared_.appends.add(shared_.services, shared_.backend.sleeps() ? &shared_.pool : nullptr,
                      std::make_shared<Call>(std::move(call)), [id, session = session_](Answer answer) {
                        const Route back = session->finish(id, answer.frame);
                        if (back.loop != nullptr) back.loop->post(back.connection, std::move(answer));
                      });
}

void Connection::deliver(Answer answer) {
  --running_;
  queue(std::move(answer));
}

void Connection::queue(Answer answer, int pass) {
  seal_.seal(answer.frame);
  out_.push_back({std::move(answer), 0, pass});
  loop_.flush_later(number_);
}

void Connection::flush() {
  while (!out_.empty() && !ended_) {
    std::array<iovec, kMostParts> parts;
    int count = 0;
    int pass = -1;
    for (Out& out : out_) {
      if (count + 2 > static_cast<int>(kMostParts) || (out.pass >= 0 && count > 0)) break;
      const size_t frame = out.answer.frame.size();
      if (out.sent < frame) parts[count++] = {out.answer.frame.data() + out.sent, frame - out.sent};
      const size_t skip = out.sent > frame ? out.sent - frame : 0;
      if (out.answer.bytes > skip)
        parts[count++] = {const_cast<uint8_t*>(out.answer.data) + skip, out.answer.bytes - skip};
      if (out.pass >= 0) {
        pass = out.pass;
        break;
      }
    }
    const ssize_t put = link_->send(parts.data(), count, pass);
    if (put == -EINTR) continue;
    if (put == -EAGAIN) break;
    if (put < 0) {
      ended_ = true;
      return;
    }
    send_deadline_ns_ = 0;
    if (pass >= 0) window_->close_descriptor();  // the client has its own now
    for (size_t left = static_cast<size_t>(put); left > 0;) {
      Out& out = out_.front();
      out.pass = -1;
      const size_t rest = out.answer.frame.size() + out.answer.bytes - out.sent;
      const size_t part = std::min(rest, left);
      out.sent += part;
      left -= part;
      if (part == rest) out_.pop_front();
    }
  }
  if (out_.empty())
    send_deadline_ns_ = 0;
  else if (send_deadline_ns_ == 0)
    send_deadline_ns_ = base::clock_ns(CLOCK_MONOTONIC) + shared_.limits.message_ns;
}

void Connection::say_goodbye(bool brought) {
  draining_ = closing_ = true;
  if (!brought || stage_ != Stage::kOpen || ended_) return;
  Reply reply;
  reply.op = Op::kGoodbye;
  reply.instance = shared_.instance;
  Answer answer;
  encode_reply({}, reply, &answer.frame);
  queue(std::move(answer));
}

void Connection::check_time(uint64_t now) {
  const bool late = (deadline_ns_ != 0 && now > deadline_ns_) || (send_deadline_ns_ != 0 && now > send_deadline_ns_);
  if (late && !ended_) refuse_peer(shared_.counters.refused_slow);
}

}  // namespace headrace::forward
