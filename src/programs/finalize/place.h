// Where the job log is, for the ranks of one node.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/communicator.h"
#include "capture/harvest/shared_log.h"
#include "model/process.h"

namespace headrace::programs {

class Place {
 public:
  /// Reads what the launcher, or the first process of the job on this node, left beside the spools.
  explicit Place(const std::string& spool_path);
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// Whether the launchers of all ranks write one log, rank 0's. Gives the reduction its id. Collective.
  base::Result<bool> agree_on_log(base::Communicator& ranks);
  uint64_t reduction() const { return reduction_; }
  /// At rank 0: the log that a launcher writes, or one of this launch's own in the directory where `process` began.
  base::Result<capture::SharedLog> open_log(const model::Process& process, uint64_t begun_utc_ns);
  /// At rank 0, after open_log(): why the log is not where it should be; "" = it is.
  const std::string& trouble() const { return trouble_; }
  /// Gives rank 0's log to all. Collective.
  base::Status tell(base::Communicator& ranks, const std::optional<capture::SharedLog>& log);

  const std::string& path() const { return path_; }
  uint64_t start_utc_ns() const { return start_utc_ns_; }

  /// Whether nobody on this node knew the log: then keep() tells whoever collects there what ranks do from now on.
  bool is_new() const { return facts_.count("log") == 0; }
  void keep();
  /// The fact by which the log says whether this node's part of it is complete.
  std::string part() const;

 private:
  std::string fact(const char* key) const;

  int directory_;
  std::map<std::string, std::string> facts_;
  std::string path_, trouble_;
  uint64_t start_utc_ns_ = 0, reduction_ = 0;
};

}  // namespace headrace::programs
