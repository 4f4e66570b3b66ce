// The ranks that carry out a plan together: one, or those of an MPI.
//
// One thread. Not usable after fork.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::workload {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }
  /// What brings them together, in words for people; "" = nothing.
  virtual std::string library() const { return ""; }

  // Collective: all ranks call them in the same order.
  virtual void wait_for_all() {}
  /// Rank 0 gets everyone's `mine`, all of the same size, in the order of ranks; others nothing.
  virtual std::vector<uint8_t> gather(std::span<const uint8_t> mine) { return {mine.begin(), mine.end()}; }
  /// All get rank 0's.
  virtual void share(std::span<uint8_t>) {}
  /// Whether all say so.
  bool all(bool mine);

  /// A message to another rank, which receives it with as many bytes; those of two ranks come in the order of sending.
  /// An `awaited` one takes until that rank has begun to receive it; others may be kept for later by the library.
  virtual void send(int, std::span<const uint8_t>, bool /*awaited*/) {}
  virtual void receive(int, std::span<uint8_t>) {}

  /// Ends all ranks with `status`, also those that wait for this one.
  [[noreturn]] virtual void abort(int status);
};

}  // namespace headrace::workload
