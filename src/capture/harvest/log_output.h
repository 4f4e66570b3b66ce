// Where a job log is written: the file that was asked for, or the next best place when that fails.
//
// The file is opened at the first write, so that a command that cannot be started leaves none. One thread at a time;
// after fork the child continues the log with `reopen`.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/harvest/log_tables.h"
#include "format/writer.h"

namespace headrace::capture {

class LogOutput {
 public:
  /// `path` is replaced. `fallbacks`: directories to try when it cannot be written, in order.
  LogOutput(std::string path, std::vector<std::string> fallbacks);
  /// Continues an existing log; see format::Writer::append.
  static LogOutput append_to(std::string path, std::vector<std::string> fallbacks);
  /// The same log, to be gone on with by a process that was forked.
  LogOutput continued() const;

  /// Permissions of the file while it is written and once it is complete(); 0: the umask decides.
  void permit(mode_t in_progress, mode_t when_complete) {
    in_progress_ = in_progress;
    when_complete_ = when_complete;
  }
  /// Nothing more will be added.
  void complete() const;

  /// All tables written from now on pass through `filter`, which must outlive this.
  void filter(format::TableFilter* filter) { filter_ = filter; }

  /// Refuses to replace a file that is neither empty nor a log: kInvalid.
  static base::Status check_replaceable(const std::string& path);

  /// Whether the file could be made or replaced now: kIo with the reason. Nothing is made.
  static base::Status check_creatable(const std::string& path);

  /// Writes the waiting rows. When the file fails, what it has is moved to the next place that takes it; fails only
  /// when no place does, and the rows are then still in `tables`.
  base::Status write(LogTables& tables, bool last);
  /// Writes the index and closes. What is written later is appended.
  base::Status close();

  /// Where the log is now; empty while nothing was written.
  const std::string& path() const { return open_path_; }
  /// Why it is not where it was asked for; empty when it is.
  const std::string& trouble() const { return trouble_; }
  /// An earlier part that could not be moved along; empty as a rule. `cat part path > whole` joins them.
  const std::string& earlier_part() const { return earlier_part_; }

 private:
  base::Status open(const std::string& path, bool append);
  base::Status fall_back(const base::Status& why, bool append);

  std::string wanted_path_, open_path_, trouble_, earlier_part_;
  std::vector<std::string> fallbacks_;
  size_t next_fallback_ = 0;
  bool append_ = false;
  mode_t in_progress_ = 0, when_complete_ = 0;
  uint64_t job_ = 0;
  format::TableFilter* filter_ = nullptr;
  std::optional<format::Writer> writer_;
};

}  // namespace headrace::capture
