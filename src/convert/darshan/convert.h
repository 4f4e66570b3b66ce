#pragma once
// A Darshan log as the tables of a job log. Every byte is treated as hostile: whatever the file holds, reading ends,
// takes no more memory than allowed, and what could not be read is in the table `gaps`. See docs/darshan.md.
//
// One thread at a time.

#include <string>
#include <vector>

#include "base/result.h"
#include "format/columns.h"
#include "format/source.h"

namespace headrace::convert::darshan {

struct Limits {
  uint64_t bytes = uint64_t{8} << 30;  // memory that the tables may take; more is kLimit
  int64_t ranks = 1 << 20;             // that get a row though they have no records of their own
};

/// Whether the file begins like a Darshan log. False as well when it cannot be read.
bool is_darshan_file(const std::string& path);

/// kForeign: no Darshan log. kUnsupported: of a format that is not known. kTruncated, kCorrupt: not even the job is
/// left of it. A log of which a part can be used becomes tables that say the rest. kIo, kNotFound, kLimit.
base::Result<std::vector<format::Table>> read_log(format::Source& source, Limits limits = {});
base::Result<std::vector<format::Table>> read_log(const std::string& path, Limits limits = {});

}  // namespace headrace::convert::darshan
