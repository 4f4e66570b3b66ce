#pragma once
// Calls that were asked for: on some files, of some functions, or only those that failed.

#include <string>
#include <unordered_map>
#include <vector>

#include "events/trace_names.h"
#include "events/trace_reader.h"

namespace headrace::events {

/// Patterns of `*` and `?` (base/pattern.h); of several one is enough, and none asks for nothing.
struct CallChoice {
  std::vector<std::string> files = {};  // paths; one without a slash also matches what is behind a path's last slash
  std::vector<std::string> functions = {};
  bool errors = false;  // only calls that failed
  bool everything() const { return files.empty() && functions.empty() && !errors; }
};

/// Remembers what matched. The reader outlives it. Not thread-safe.
class CallFilter {
 public:
  CallFilter(const TraceReader& trace, CallChoice choice) : trace_(trace), choice_(std::move(choice)) {}

  bool everything() const { return choice_.everything(); }

  /// Of an operation on a file. `handle`: of the process, 0: not known.
  bool has(uint32_t reference, uint64_t process, uint32_t handle, bool failed);
  /// Of a call or region that is on no file.
  bool has(uint32_t reference) { return choice_.files.empty() && !choice_.errors && is_of_function(reference); }

 private:
  enum Known : char { kNotYet, kNo, kYes };
  bool is_of_function(uint32_t reference);
  bool is_on_file(uint32_t reference, uint64_t process, uint32_t handle);

  const TraceReader& trace_;
  const CallChoice choice_;
  std::vector<Known> functions_;  // by reference
  std::unordered_map<std::pair<uint64_t, uint32_t>, bool, PairHash> files_, containers_;
};

}  // namespace headrace::events
