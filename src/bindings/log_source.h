#pragma once
// Where the tables of a job log come from: a chunk file, or a log of Darshan's that is converted in memory.
//
// One thread at a time.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/reader.h"

namespace headrace::bindings {

class LogSource {
 public:
  virtual ~LogSource() = default;
  virtual std::vector<std::string> tables() = 0;
  virtual const std::vector<uint64_t>& jobs() = 0;
  /// kNotFound: no such table. A table of a converted log can be taken once: whoever asks keeps it.
  virtual base::Result<format::Table> table(const std::string& name, std::optional<uint64_t> job) = 0;
  virtual std::vector<format::Damage> damage() = 0;
  virtual base::Status verify() = 0;
  virtual bool closed() = 0;
  virtual uint64_t size() = 0;
};

/// Errors as Reader::open and darshan::read_log have them.
base::Result<std::unique_ptr<LogSource>> open_log_source(const std::string& path);

}  // namespace headrace::bindings
