// A connection to a peer as servers and clients see it, whatever it runs over.
//
// The place for a plug-in: a class of this kind, and a line in transport.cc that names its scheme.
#pragma once
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace headrace::forward {

class Link {
 public:
  virtual ~Link() = default;
  /// For epoll and poll: readable or writable when receive or send will do something.
  virtual int descriptor() const = 0;
  /// Bytes; 0: the peer has ended; or a negated error number, -EAGAIN: nothing is there now. `passed`, unless null,
  /// receives a descriptor that came along, which the caller then owns.
  virtual ssize_t receive(void* into, size_t bytes, int* passed = nullptr) = 0;
  /// Bytes that were taken, or a negated error number. `pass`: a descriptor that goes along, or -1.
  virtual ssize_t send(const iovec* parts, int count, int pass = -1) = 0;
  /// Whether the kernel has said that the peer is a process of this user on this machine. All others have to prove
  /// that they know the job's secret.
  virtual bool is_own_user() const = 0;
  /// The peer for messages: "process 4711", "10.0.0.3:40112".
  virtual std::string peer() const = 0;
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual int descriptor() const = 0;
  /// The next connection, which does not wait; null when there is none, with why not in errno.
  virtual std::unique_ptr<Link> accept() = 0;
  /// What clients have to connect to, as an address of transport.h.
  virtual std::string address() const = 0;
};

}  // namespace headrace::forward
