// A pattern: who reads and writes what, in which order. It knows nothing of how that is done.
//
// Immutable once made; the same settings, seed and number of ranks give the same plans, on every machine and for every
// back end. Safe in any thread.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/plan/object.h"
#include "workload/plan/operation.h"

namespace headrace::workload {

/// Part of a run that all ranks begin together, and that is timed.
struct Phase {
  std::string name;
  Verb direction;       // kWrite, kRead, or what it does to names
  uint32_t number = 0;  // of the pattern, to tell phases that do the same
};

class Pattern {
 public:
  virtual ~Pattern() = default;
  virtual const char* name() const = 0;
  /// What was asked for: in words for people, and as a JSON object.
  virtual std::string summary() const = 0;
  virtual std::string settings_json() const = 0;
  virtual std::vector<Phase> phases() const = 0;
  virtual uint32_t files() const = 0;
  virtual PlannedFile file(uint32_t number) const = 0;
  /// Whether ranks share files: all of a pattern's, or none.
  bool shares() const { return files() > 0 && file(0).shared; }
  /// One that a plan makes or opens in a file; they are too many for a list.
  virtual PlannedObject object(uint32_t, uint32_t) const { return {}; }
  /// Bytes of the largest transfer, for which each rank needs a buffer.
  virtual uint64_t largest_transfer() const = 0;
  /// Bytes of data that a rank has in memory: to write from, and to read to.
  virtual uint64_t memory() const { return 2 * largest_transfer(); }
  /// Bytes that all files have in the end.
  virtual uint64_t footprint() const = 0;

  /// How many operations `rank` has in a phase.
  virtual uint64_t operations(const Phase& phase, int rank) const = 0;
  /// Gives `take` each of them, one after the other. Ends with the first failure of `take`.
  using Take = std::function<base::Status(const Operation&)>;
  virtual base::Status plan(const Phase& phase, int rank, const Take& take) const = 0;
};

}  // namespace headrace::workload
