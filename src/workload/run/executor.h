// Carries out a pattern's plans on this rank, through a back end, and measures.
//
// One thread; all ranks go through the same phases in the same order.
#pragma once
#include <signal.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/backend/backend.h"
#include "workload/plan/pattern.h"
#include "workload/ranks/ranks.h"
#include "workload/run/contents.h"
#include "workload/run/figures.h"

namespace headrace::workload {

struct ExecutorSettings {
  std::string directory;     // where the files are; it is there
  uint64_t seed = 0;         // of their contents
  bool compare_all = false;  // of what is read, every byte; else a glance, which is in no way of a measurement
  const volatile sig_atomic_t* stop = nullptr;  // not 0: no more operations
  /// Called now and then, with the share of this rank's operations that is done; may be empty.
  std::function<void(const Phase&, double)> progress;
};

class Executor {
 public:
  Executor(const Pattern& pattern, Backend& backend, Ranks& ranks, ExecutorSettings settings);

  /// All ranks begin together. The error of a call, or kLimit where it was told to stop; others may then wait for this
  /// rank, which must end them (Ranks::abort).
  base::Result<PhaseFigures> run(const Phase& phase);

 private:
  /// A transfer in the shortest way; false where it takes another.
  bool transfer(const Operation& operation, PhaseFigures& figures);
  /// What a call has taken that has just ended.
  uint64_t since_last_call();
  base::Status perform(const Operation& operation, PhaseFigures& figures);
  base::Status call(const Operation& operation);
  base::Status call_by_name(const Operation& operation) const;
  std::span<const uint8_t> bytes_of(const Operation& operation) const;
  void compare(const Operation& operation, uint64_t got, PhaseFigures& figures) const;
  std::string path_of(uint32_t file) const;
  bool stopped() const { return settings_.stop != nullptr && *settings_.stop != 0; }

  const Pattern& pattern_;
  Backend& backend_;
  Ranks& ranks_;
  const ExecutorSettings settings_;
  const Contents contents_;
  std::vector<uint8_t> buffer_;
  bool keeps_ = true;            // the back end
  uint64_t end_ = 0, told_ = 0;  // of the last call, and when progress was last told; ticks
};

}  // namespace headrace::workload
