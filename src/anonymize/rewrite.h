#pragma once
// An existing job log written again without names.
//
// One thread at a time; reads one table of one job at a time into memory.

#include <memory>
#include <string>
#include <vector>

#include "anonymize/anonymizer.h"
#include "base/result.h"
#include "format/reader.h"
#include "format/sink.h"

namespace headrace::anonymize {

struct Rewritten {
  uint64_t jobs = 0;
  std::vector<std::string> left_out;   // see Anonymizer::left_out
  std::vector<format::Damage> damage;  // of the log that was read; what it held is missing in the new one
};

/// Writes all jobs of `reader` to `sink` and closes it. Of a damaged log the facts of each job say that it is not
/// complete. kNoSpace, kIo: from the sink, which then holds a part. kLimit, kIo: from the reader.
base::Result<Rewritten> rewrite(format::Reader& reader, std::unique_ptr<format::Sink> sink, Anonymizer& anonymizer);

}  // namespace headrace::anonymize
