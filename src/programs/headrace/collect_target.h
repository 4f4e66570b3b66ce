// Which file `headrace collect` writes.
#pragma once
#include <map>
#include <string>

namespace headrace::programs {

struct Target {
  std::string path;
  bool append = false;  // the job's own log goes on
  std::string move_to;  // its name afterwards; "" = it stays
};

/// The log for a job with these `facts`: `output` unless "", the one that its launcher began or was to begin, or a new
/// one in the working directory. Says so when the launcher's has become another job's.
Target target_of(const std::string& output, const std::map<std::string, std::string>& facts);

}  // namespace headrace::programs
