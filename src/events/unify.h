#pragma once
// Makes one file of a trace, or of the several files that one job's trace lies in, ordered as viewers read.
//
// In front stand the tables, each row once; then the chunks of events as they were, byte for byte, in the order in
// which they begin, whichever location they are of; then the index. So what a viewer asks for first, names and a window
// of time, are each one stretch of the file. Readers need none of it: they give the same of either.

#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::events {

struct Unified {
  uint64_t chunks = 0, events = 0;
  uint64_t bytes = 0;    // of the file
  uint64_t resumed = 0;  // bytes of it that an earlier attempt had written
  uint64_t damaged = 0;  // chunks of events that were copied although they fail their checksum
};

/// `target` appears whole, in place of what was there: until then it is `target`.part, and what is found in such a file
/// and is right stays, so an attempt that was killed goes on where it was. kInvalid: no files, or of several jobs.
/// kForeign, kNotFound and so on: as TraceReader::open(). kIo, kNoSpace. `threads`: 0: as many as are of use.
base::Result<Unified> unify(const std::vector<std::string>& sources, const std::string& target, unsigned threads = 0);

}  // namespace headrace::events
