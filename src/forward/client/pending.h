// A call that a client has sent and waits for.
#pragma once
#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "forward/protocol/messages.h"

namespace headrace::forward {

struct Pending {
  Header header;
  std::vector<Extent> extents;  // of a read, to tell where its bytes go
  std::vector<uint8_t> frame;   // header and body, not sealed: sent again after a broken connection
  std::vector<iovec> memory;    // what is written, or where what is read goes; the caller's
  uint64_t data_bytes = 0;      // that follow the frame
  uint64_t deadline_ns = 0;
  uint64_t begun_ns = 0, begun_ticks = 0;    // when it was submitted; the second by Observer::now()
  uint64_t once_before = 0;                  // calls that happen once, begun before this one
  uint64_t answered_before = 0;              // writes
  uint64_t window_at = 0, window_units = 0;  // its part of the window, 0 units = none
  bool done = false;
  bool went_alone = false;  // over its connection, since the server ended those before without a word
  int error = 0;            // of the connection
  Header reply_header;
  std::vector<uint8_t> body;            // of the reply
  Reply reply;                          // views into `body`
  uint64_t moved = 0;                   // bytes read
  uint64_t instance = 0;                // of the server that answered
  uint64_t file = 0;                    // hash_of_file() of the handle
  void (*on_done)(Pending*) = nullptr;  // called with the connection's lock held, unless null
  void* owner = nullptr;                // for that

  /// What the call came to: 0, or an error number.
  int result() const { return error != 0 ? error : static_cast<int>(reply_header.limit); }
};

}  // namespace headrace::forward
