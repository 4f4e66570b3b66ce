#include "forward/server/inbox.h"

#include <string.h>

#include <algorithm>

#include "forward/protocol/codec.h"

namespace headrace::forward {
namespace {

bool carries(const Header& header) {
  const auto op = static_cast<Op>(header.op);
  return (op == Op::kWrite || op == Op::kAppend) && !(header.flags & kInWindow);
}

/// Data of a read comes into a buffer of the server, too.
bool needs_room(const Header& header) {
  return header.data > 0 && !(header.flags & kInWindow) && (carries(header) || static_cast<Op>(header.op) == Op::kRead);
}

}  // namespace

Inbox::State Inbox::take(uint8_t* bytes, size_t size) {
  while (size > 0 && state_ == State::kReady) {
    const size_t used = step(bytes, size);
    bytes += used;
    size -= used;
  }
  if (state_ == State::kParked) kept_.assign(bytes, bytes + size);
  return state_;
}

Inbox::State Inbox::retry() {
  if (state_ != State::kParked) return state_;
  state_ = State::kReady;
  // A header that is all that came of a message waits in `head_`.
  if (have_ == kHeaderBytes && part_ == Part::kHeader) begin(head_.data(), kHeaderBytes);
  std::vector<uint8_t> bytes;
  bytes.swap(kept_);
  if (state_ == State::kParked) {
    kept_.swap(bytes);
    return state_;
  }
  return take(bytes.data(), bytes.size());
}

size_t Inbox::step(uint8_t* bytes, size_t size) {
  if (part_ == Part::kHeader) {
    if (have_ == 0 && size >= kHeaderBytes) return begin(bytes, size);
    const size_t part = std::min(size, kHeaderBytes - have_);
    memcpy(head_.data() + have_, bytes, part);
    have_ += part;
    if (have_ == kHeaderBytes) begin(head_.data(), kHeaderBytes);
    return part;
  }
  const bool body = part_ == Part::kBody;
  const size_t whole = body ? kHeaderBytes + call_.header.body : call_.header.data;
  const size_t part = std::min(size, whole - have_);
  memcpy((body ? call_.frame.data() : call_.room.data()) + have_, bytes, part);
  have_ += part;
  if (have_ == whole) finish_part();
  return part;
}

/// Begins a message, of which at least the header is here. 0: it has to wait, or is broken.
size_t Inbox::begin(uint8_t* bytes, size_t size) {
  const auto header = decode_header({bytes, kHeaderBytes});
  if (!header.ok() || (header->op & kReplyBit) || header->body > bounds.body || header->data > bounds.data) {
    state_ = State::kBroken;
    return 0;
  }
  const size_t whole = kHeaderBytes + header->body;
  const size_t with_data = whole + (carries(*header) ? header->data : 0);
  const bool at_once = bounds.quick && size >= with_data;
  call_ = Call();
  call_.header = *header;
  if (!at_once) call_.frame = buffers_.take(whole);
  const bool room = needs_room(*header) && !(at_once && carries(*header));
  if (room && (at_once || call_.frame))
    call_.room = carries(*header) ? buffers_.take_for_write(header->data) : buffers_.take(header->data);
  if ((!at_once && !call_.frame) || (room && !call_.room)) {
    call_ = Call();
    state_ = State::kParked;
    return 0;
  }
  call_.data = call_.room.data();
  have_ = 0;
  if (at_once) {
    if (carries(*header)) call_.data = bytes + whole;
    call_whole(bytes);
    return with_data;
  }
  have_ = std::min(size, whole);
  memcpy(call_.frame.data(), bytes, have_);
  const size_t used = have_;
  part_ = Part::kBody;
  if (have_ == whole) finish_part();
  return used;
}

void Inbox::finish_part() {
  have_ = 0;
  if (part_ == Part::kBody && carries(call_.header) && call_.header.data > 0) {
    part_ = Part::kData;
    return;
  }
  part_ = Part::kHeader;
  uint8_t* frame = call_.frame.data();
  call_whole(frame);
}

void Inbox::call_whole(uint8_t* frame) {
  if (!on_call_(std::move(call_), frame)) state_ = State::kBroken;
}

std::span<uint8_t> Inbox::direct() {
  if (part_ != Part::kData || state_ != State::kReady) return {};
  return {call_.room.data() + have_, call_.header.data - have_};
}

Inbox::State Inbox::received_direct(size_t bytes) {
  have_ += bytes;
  if (have_ == call_.header.data) finish_part();
  return state_;
}

}  // namespace headrace::forward
