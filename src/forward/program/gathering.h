// Small writes of this thread that go to the server together, as one list of extents: those of one call of MPI-IO,
// which writes what a view has in many places piece by piece. Whoever asks the same thread for anything else of a file
// has them written first, so nothing can tell the difference but the server. They are written too when the thread or
// the process ends, or forks, and nothing is gathered any more when the call was left without its end: an error handler
// may do so by longjmp() or an exception.
#pragma once
#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "forward/program/calls.h"
#include "forward/protocol/messages.h"

namespace headrace::forward::program {

struct Gathering {
  const CallMark* mark;  // of the outermost call
  uint64_t number;       // that is in the mark as long as the call is under way
  unsigned depth = 0;    // of calls inside each other
  int fd = -1;
  int error = 0;  // the first one
  std::vector<Extent> extents = {};
  std::vector<uint8_t> bytes = {};
};

/// Null: nothing is gathered.
extern __thread Gathering* gathering __attribute__((tls_model("initial-exec")));

/// Takes a write if it is one to gather. It has to be allowed.
bool gather(int fd, const std::vector<iovec>& parts, uint64_t bytes, uint64_t offset);
/// Writes what is gathered.
void write_gathered();
inline void settle_gathered() {
  if (gathering != nullptr) write_gathered();
}

/// Before any other of these: has it settled when a thread ends or the process forks.
void prepare_gathering();
void begin_gathering(CallMark* mark);
/// An error number if anything was not stored: all of the call has to be written again.
int end_gathering();

}  // namespace headrace::forward::program
