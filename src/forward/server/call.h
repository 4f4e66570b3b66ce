// A call on its way through the server, and its answer.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "forward/protocol/messages.h"
#include "forward/server/buffers.h"
#include "forward/transport/window.h"

namespace headrace::forward {

struct Call {
  Header header;
  Request request;            // views into `frame`, or into what was just received
  Buffer frame;               // header and body
  Buffer room;                // for the data, unless it is in a window
  uint8_t* data = nullptr;    // what is written, or where what is read goes
  std::vector<uint8_t> kept;  // handle and data instead, where a call waits that was to be done at once
  std::shared_ptr<Window> window;
  uint64_t begun_ns = 0;  // when it was there
  uint64_t flush_ns = 0;  // when the flush that goes before it began, which is work for it
  Nonce client{};
  std::optional<uint64_t> before;  // it was begun by a server that was killed, when this was there (journal.h)
  std::vector<BadRange> failed;    // of the flush that went before it
};

struct Answer {
  std::vector<uint8_t> frame;  // header and body, not sealed yet
  Buffer room;
  const uint8_t* data = nullptr;  // behind the frame; null when there is none, or it is in a window
  size_t bytes = 0;
};

}  // namespace headrace::forward
