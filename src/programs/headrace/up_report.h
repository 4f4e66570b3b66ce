// What the servers of one command did, as `headrace forward up` tells it at the end.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "programs/headrace/command_servers.h"
#include "programs/headrace/server_figures.h"

namespace headrace::programs {

class UpReport {
 public:
  /// Asks all that have not died.
  explicit UpReport(const CommandServers& servers);

  /// Whether every server that lives has told what it lost.
  bool all_known() const { return all_known_; }
  uint64_t lost_bytes() const { return sum_.lost_bytes; }
  std::string in_words() const;
  /// As JSON, into a file.
  base::Status write(const std::string& path, bool all_stored, int exit_status) const;

 private:
  struct Server {
    ServerTotals totals;
    std::string trouble;     // why there are none
    bool is_silent = false;  // it lives, as far as one can see
  };
  std::vector<Server> servers_;
  ServerTotals sum_;
  size_t answered_ = 0;
  bool all_known_ = true;
};

}  // namespace headrace::programs
