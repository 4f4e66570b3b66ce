#pragma once
// What a catalog keeps of job logs (docs/formats/catalog.md): figures of `headrace show`, of many logs at once.

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/frame.h"

namespace headrace::bindings {

/// Numbers that are not known are INT64_MIN. `path` of every row is the place of its log in the list.
struct Summaries {
  Frame logs, instances, files, access_sizes;
  Frame facts;  // of the table `job`: log, key, value
  struct Bad {
    uint64_t path;
    std::string reason;
  };
  std::vector<Bad> bad;
};

/// Reads logs with so many threads at most, each a log at a time. A log that cannot be read is in `bad`, and in no
/// other table. Any thread, without the interpreter lock.
Summaries summarize_logs(const std::vector<std::string>& paths, uint32_t threads);

/// Of each file what the column `content` of `logs` would be, in hexadecimal; empty where it cannot be read. So that
/// those which are known need not be read. Any thread, without the interpreter lock.
std::vector<std::string> log_contents(const std::vector<std::string>& paths, uint32_t threads);

}  // namespace headrace::bindings
