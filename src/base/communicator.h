#pragma once
// Ranks that talk: the one primitive on which collectives (base/collectives.h) stand, so that the same algorithm runs
// in one process, over simulated ranks and over MPI.

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace headrace::base {

inline constexpr int kNobody = -1;

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Sends `out` to rank `to` and receives into `in` what rank `from` sends; either may be kNobody, and `in` null with
  /// it. Messages of one sender arrive in order. Never waits for ever: kIo when the other side does not come (its
  /// deadline has passed, or it is gone); messages may then still be on their way, and the communicator is of no use.
  virtual Status exchange(int to, Bytes out, int from, std::vector<uint8_t>* in) = 0;
};

/// The only rank there is.
class SerialCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Status exchange(int to, Bytes, int from, std::vector<uint8_t>*) override {
    return to == kNobody && from == kNobody ? Status() : Status(Code::kInvalid, "a single rank has nobody to talk to");
  }
};

}  // namespace headrace::base
