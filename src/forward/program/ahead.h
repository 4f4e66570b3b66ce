// What a stream reads ahead. The C library asks for 8 KiB at a time, which is a call to a server each; once a stream
// reads in a row, more is read at once and handed out in those pieces. The position of the descriptor stays where the
// pieces are, so whoever shares it finds it where it would be. Not thread-safe: streams have locks.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "forward/program/description.h"

namespace headrace::forward::program {

class Ahead {
 public:
  /// As readv_file() of one part.
  ssize_t read(int fd, Description& file, char* into, size_t size);
  /// The next read asks the servers.
  void forget() { begin_ = end_ = 0; }

 private:
  size_t fetch(int fd, uint64_t at, size_t size);

  std::unique_ptr<char[]> bytes_;
  uint64_t begin_ = 0, end_ = 0;  // where in the file they are
  uint64_t next_ = UINT64_MAX;    // behind the last read
  Nonce owner_{};                 // of the open file that this is about
  size_t window_ = 0;
};

}  // namespace headrace::forward::program
