#pragma once
// Events of a trace as lines of text, for people or as JSON: what `headrace trace cat` prints, millions of them. What
// texts and sizes look like Python says, once for each; the rest is here. Needs the GIL.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "events/call_filter.h"
#include "events/trace_rows.h"

namespace headrace::bindings {

class TraceLines {
 public:
  /// `heads`: of each location what its lines have behind the time. `text`: a text as a line has it; `size`: bytes as
  /// people read them; `real`: a number of a counter; `errors`: names of errno.
  TraceLines(std::vector<std::string> heads, bool as_json, nanobind::callable text, nanobind::callable size,
             nanobind::callable real, std::unordered_map<uint32_t, std::string> errors)
      : heads_(std::move(heads)),
        as_json_(as_json),
        text_(std::move(text)),
        size_(std::move(size)),
        real_(std::move(real)),
        errors_(std::move(errors)) {}

  struct Printed {
    uint64_t lines = 0;
    bool more = false;  // there may be
  };
  /// At most so many lines, each with its end, of what the filter has. Also none, if much is passed over: so that
  /// the caller can be interrupted.
  std::string next(events::TraceReader& trace, events::TraceRows& rows, events::CallFilter& filter, uint64_t most,
                   Printed* printed);

 private:
  void add_json(const events::TraceReader& trace, const events::TraceRow& row, uint32_t location);
  void add_line(const events::TraceReader& trace, const events::TraceRow& row, uint32_t location);
  void add_operation(const events::TraceReader& trace, const events::TraceRow& row, uint32_t location,
                     std::string_view name);
  void add_lasted(uint64_t duration_ns);
  const std::string& text(std::string_view bytes);
  const std::string& size(uint64_t bytes);
  std::string real(uint64_t bits) const;
  const std::string& name(const events::TraceReader& trace, const events::TraceRow& row);

  const std::vector<std::string> heads_;
  const bool as_json_;
  const nanobind::callable text_, size_, real_;
  const std::unordered_map<uint32_t, std::string> errors_;
  std::unordered_map<std::string, std::string> texts_;
  std::unordered_map<uint64_t, std::string> sizes_;
  std::unordered_map<uint64_t, std::string> unknown_;
  std::string out_;
};

}  // namespace headrace::bindings
