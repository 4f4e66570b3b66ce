#pragma once
// The job record of a Darshan log: who ran what, when, on how many processes, with which file systems mounted.

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "convert/darshan/header.h"

namespace headrace::convert::darshan {

struct Mount {
  std::string type, point;
};

struct JobRecord {
  int64_t user = 0, processes = 0, job = 0;
  int64_t start_s = 0, start_ns = 0, end_s = 0, end_ns = 0;
  std::string metadata;  // lines of KEY=VALUE
  std::string command;   // arguments joined by spaces, perhaps cut
  std::vector<Mount> mounts;

  bool is_plausible() const;  // as to its times and its number of processes
  uint64_t start_utc_ns() const;
  /// Formats before 3.41 keep whole seconds, and Darshan then takes the last one as used up.
  uint64_t run_ns(const Header& header) const;
};

/// `bytes`: what was decompressed, kJobBytes at most. False: too few.
bool parse_job(base::Bytes bytes, const Header& header, JobRecord& job);

/// Nanoseconds of a time in seconds; 0 for what is no time, and at least 1 for what is one.
uint64_t to_ns(double seconds);

}  // namespace headrace::convert::darshan
