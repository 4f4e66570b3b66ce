// The places that a trace may have: beside its log, and where that one fails where the log would be saved to.
//
// What was stored at a place stays there: others may write it too. One thread at a time.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/harvest/log_output.h"
#include "capture/harvest/open_trace.h"

namespace headrace::capture {

class TracePlaces {
 public:
  /// Opens the trace where it was opened before, or at the first place that takes it, of those that were not left.
  /// kInvalid, kIo, kNoSpace, kNotFound: none does; what was wrong with the first.
  base::Result<OpenedTrace> open(LogOutput& log, const Moment& start);
  /// A place that open() gave takes no more. What it has is a part of the trace.
  void leave(const std::string& path, const base::Status& why);
  /// Somebody else has stored a part there.
  void add_part(const std::string& path);

  /// Why the trace is not, or not all of it, where it should be; empty: it is.
  const std::string& trouble() const { return trouble_; }
  /// Places with what came before the trace that was opened last, first ones first.
  const std::vector<std::string>& parts() const { return parts_; }

 private:
  /// Fails if the place is not to be touched.
  base::Result<OpenedTrace> try_place(const std::string& path, LogOutput& log, const Moment& start, bool is_wanted);

  std::string trouble_, wanted_, current_;
  std::vector<std::string> parts_, tried_;
};

}  // namespace headrace::capture
