// Cuts a stream of bytes into calls, with a buffer for all of a call before any of it is taken.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "forward/protocol/messages.h"
#include "forward/server/call.h"

namespace headrace::forward {

class Inbox {
 public:
  struct Bounds {
    uint32_t body = 0, data = 0;
    bool quick = false;  // calls are done at once, so they need not be kept
  };
  enum class State { kReady, kParked, kBroken };
  /// A call is whole. `frame`: its header and body, which with bounds.quick may be gone when this returns. Returns
  /// false to stop, since the connection is at its end.
  using OnCall = std::function<bool(Call call, uint8_t* frame)>;

  Inbox(Buffers& buffers, OnCall on_call) : buffers_(buffers), on_call_(std::move(on_call)) {}

  /// Takes bytes; when parked, what is left of them is kept. `bounds` may change between calls by on_call.
  State take(uint8_t* bytes, size_t size);
  /// Goes on with what was kept.
  State retry();
  /// Where the next bytes may be received straight into, because much of a call's data is missing; or nothing.
  std::span<uint8_t> direct();
  State received_direct(size_t bytes);

  bool parked() const { return state_ == State::kParked; }
  bool inside() const { return have_ > 0 || part_ != Part::kHeader; }  // of a message
  const Header& header() const { return call_.header; }
  Bounds bounds;

 private:
  enum class Part { kHeader, kBody, kData };
  size_t step(uint8_t* bytes, size_t size);
  size_t begin(uint8_t* bytes, size_t size);
  void finish_part();
  void call_whole(uint8_t* frame);

  Buffers& buffers_;
  const OnCall on_call_;
  State state_ = State::kReady;
  Part part_ = Part::kHeader;
  std::array<uint8_t, kHeaderBytes> head_;
  size_t have_ = 0;  // of the part
  Call call_;
  std::vector<uint8_t> kept_;
};

}  // namespace headrace::forward
