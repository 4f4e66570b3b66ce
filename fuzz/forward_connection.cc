// A whole conversation of a client of the same user with a server of forwarding: hello, proof, and any calls behind
// them, in the pieces that a socket gives. Whatever comes, the server answers with messages that decode, each with the
// number of a call that it was sent; says goodbye to those alone who are its clients; tells once that who kept it is
// gone; and gives all memory back.

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "forward/backend/memory.h"
#include "forward/protocol/codec.h"
#include "forward/server/connection.h"
#include "forward/server/event_loop.h"

namespace {

using namespace headrace;
using namespace headrace::forward;

constexpr int kMostTurns = 2000;
constexpr size_t kFileHandle = 37;  // of "f" in the root; so many 'F' in the input stand for it

void check(bool good) {
  if (!good) __builtin_trap();
}

/// Gives the input in pieces and takes what is sent, sometimes only a part of it.
class Peer : public Link {
 public:
  Peer(std::vector<uint8_t> input, std::vector<uint8_t>* sent) : input_(std::move(input)), sent_(sent) {}
  int descriptor() const override { return -1; }
  ssize_t receive(void* into, size_t bytes, int* = nullptr) override {
    if (at_ == input_.size()) return 0;
    const size_t part = std::min({bytes, input_.size() - at_, step_ = step_ * 7 % 4099 + 1});
    memcpy(into, input_.data() + at_, part);
    at_ += part;
    return static_cast<ssize_t>(part);
  }
  ssize_t send(const iovec* parts, int count, int = -1) override {
    if (++turns_ % 5 == 0) return -EAGAIN;
    const size_t most = turns_ % 3 == 0 ? 50 : SIZE_MAX;
    size_t taken = 0;
    for (int i = 0; i < count && taken < most; ++i) {
      const auto* bytes = static_cast<const uint8_t*>(parts[i].iov_base);
      const size_t part = std::min(parts[i].iov_len, most - taken);
      sent_->insert(sent_->end(), bytes, bytes + part);
      taken += part;
    }
    return static_cast<ssize_t>(taken);
  }
  bool is_own_user() const override { return true; }
  std::string peer() const override { return "process 1"; }

 private:
  const std::vector<uint8_t> input_;
  std::vector<uint8_t>* const sent_;
  size_t at_ = 0, step_ = 5, turns_ = 0;
};

struct Answers {
  bool admitted = false;  // to `prove`
  unsigned goodbyes = 0, kept = 0;
};

/// Every message but the last, of which the connection's end may have left a part.
Answers check_sent(const std::vector<uint8_t>& sent) {
  Answers found;
  for (size_t at = 0; at + kHeaderBytes <= sent.size();) {
    const auto header = decode_header(base::Bytes(sent).subspan(at, kHeaderBytes));
    check(header.ok() && (header->op & kReplyBit));
    const bool in_window = header->flags & kInWindow;
    const size_t whole = kHeaderBytes + header->body + (in_window ? 0 : header->data);
    if (sent.size() - at < whole) break;
    const auto reply = decode_reply(*header, base::Bytes(sent).subspan(at + kHeaderBytes, header->body));
    check(reply.ok());
    const Op op = reply->op;
    if (op == Op::kProve && header->limit == 0) {
      check(!found.admitted && reply->placement.valid());
      found.admitted = true;
    }
    if (op != Op::kHello && op != Op::kSecret) check(found.admitted || header->limit != 0);
    check(found.goodbyes == 0);
    found.goodbyes += op == Op::kGoodbye;
    found.kept += op == Op::kKeep && header->limit == 0;
    at += whole;
  }
  return found;
}

/// One server, one connection; gives how often it was told that who kept it is gone.
unsigned serve(std::vector<uint8_t> input, bool may_keep, int last_turn, std::vector<uint8_t>* sent) {
  MemoryBackend backend("/m", 1 << 20);
  Limits limits;
  limits.memory = 8 << 20;
  limits.most_data = limits.window = 1 << 20;
  Buffers buffers(limits.memory, [] {});
  unsigned unkept = 0;
  const File root = root_file(0);
  {
    Counters counters;
    Sessions sessions;
    Appends appends;
    Pool pool(0), munge_pool(0);
    Locks locks;
    SharedReads reads(true);
    Opens opens(backend);
    const HandleMaker handles(derive({}, "handles"));
    WriteBufferOptions unbuffered;
    unbuffered.on = false;
    WriteBuffer write_buffer(backend, buffers, unbuffered);
    Shared shared{
        limits,     {},
        backend,    buffers,
        pool,       sessions,
        counters,   handles,
        appends,    write_buffer,
        locks,      reads,
        opens,      {&backend, &handles, &counters, &buffers, &appends, &write_buffer, &locks, &reads, &opens},
        {},         nullptr,
        munge_pool, may_keep ? [&unkept] { ++unkept; } : std::function<void()>()};
    const auto made = backend.create({root, "f"}, {});
    const std::vector<uint8_t> handle = handles.make(made->file), marks(kFileHandle, 'F');
    check(handle.size() == kFileHandle);
    for (auto at = input.begin(); (at = std::search(at, input.end(), marks.begin(), marks.end())) != input.end();)
      at = std::copy(handle.begin(), handle.end(), at);
    EventLoop loop(shared);
    std::vector<uint8_t> scratch(16 << 10);
    Connection connection(loop, shared, 1 << 20, std::make_unique<Peer>(std::move(input), sent));
    for (int turn = 0; turn < kMostTurns && !connection.ended(); ++turn) {
      if (turn == last_turn) connection.say_goodbye(true);
      if (turn % 7 == 6) connection.unpark();
      connection.readable(scratch);
      connection.flush();
    }
    connection.check_time(UINT64_MAX);
  }
  check(buffers.used() == 0 && buffers.most_used() <= buffers.memory());
  return unkept;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool may_keep = data[0] & 1;
  const int last_turn = data[0] & 2 ? data[0] >> 2 : kMostTurns;  // then the server ends
  std::vector<uint8_t> sent;
  const unsigned unkept = serve({data + 1, data + size}, may_keep, last_turn, &sent);
  const Answers answers = check_sent(sent);
  check(unkept <= 1 && (answers.kept == 0 || unkept == 1) && (may_keep || unkept == 0));
  check(answers.goodbyes == 0 || (answers.admitted && last_turn < kMostTurns));
  return 0;
}
