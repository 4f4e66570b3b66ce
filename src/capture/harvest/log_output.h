// Where a job log is written: the file that was asked for, or the next best place when that fails.
//
// The file is opened at the first write, so that a command that cannot be started leaves none, or by begin(). Other
// processes may write it as well, since all appends are made in sections of a SharedLog. One thread at a time; after
// fork the child continues the log with one of its own.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/harvest/log_tables.h"
#include "capture/harvest/shared_log.h"
#include "format/writer.h"

namespace headrace::capture {

class LogOutput {
 public:
  /// A log at `path` is kept under another name (SharedLog). `fallbacks`: directories to try when it cannot be written,
  /// in order. `producer`: whose chunks these are; 0: a new one's.
  LogOutput(std::string path, std::vector<std::string> fallbacks, uint64_t producer = 0);
  /// Continues an existing log as `producer`: the one that wrote to it before, or 0 for a new one.
  static LogOutput append_to(std::string path, std::vector<std::string> fallbacks, uint64_t producer = 0);

  /// Whose log it is. With `joins` others write it too: one of this identity that is there already goes on. Without an
  /// identity it gets one that nobody else has.
  void belong_to(std::string identity, bool joins) {
    identity_ = std::move(identity);
    joins_ = joins;
  }
  /// What its times count from, if it is begun here. ns of the real-time clock.
  void start_at(uint64_t start_utc_ns) { start_utc_ns_ = start_utc_ns; }
  /// Begins or joins the log now. Returns the start that its times count from: `start_utc_ns` if it was begun here.
  base::Result<uint64_t> begin(uint64_t start_utc_ns);
  /// Whether the log was begun here rather than joined.
  bool begun() const { return shared_.has_value() && shared_->created(); }
  /// Which chunks are written from here.
  uint64_t producer() const { return producer_; }
  /// The same log and producer, to be gone on with by a process that was forked.
  LogOutput continued() const;

  /// Permissions of the file while it is written and once it is complete(); 0: the umask decides.
  void permit(mode_t in_progress, mode_t when_complete) {
    in_progress_ = in_progress;
    when_complete_ = when_complete;
  }
  mode_t mode_in_progress() const { return in_progress_; }
  /// Nothing more will be added, nor to the trace beside it.
  void complete() const;
  /// Which job's log it is, the same for all who write it.
  const std::string& identity();

  /// All tables written from now on pass through `filter`, which must outlive this.
  void filter(format::TableFilter* filter) { filter_ = filter; }

  /// Refuses to replace a file that is neither empty nor a log: kInvalid.
  static base::Status check_replaceable(const std::string& path);
  /// The same, and of the file that a log at `path` would replace when it makes room.
  static base::Status check_output(const std::string& path);

  /// Whether the file could be made or replaced now: kIo with the reason. Nothing is made.
  static base::Status check_creatable(const std::string& path);

  /// Writes the waiting rows. When the file fails, what it has is moved to the next place that takes it; fails only
  /// when no place does, and the rows are then still in `tables`.
  base::Status write(LogTables& tables, bool last);
  /// Writes the index and closes. What is written later is appended.
  base::Status close();

  /// Where the log is now; empty while nothing was written.
  const std::string& path() const { return open_path_; }
  /// Where it is, or is to be.
  const std::string& place() const { return open_path_.empty() ? wanted_path_ : open_path_; }
  /// Why it is not where it was asked for; empty when it is.
  const std::string& trouble() const { return trouble_; }
  /// Where the log is that was at its path before; empty when there was none.
  const std::string& kept() const { return kept_; }
  /// An earlier part that could not be moved along; empty as a rule. `headrace collect` joins them.
  const std::string& earlier_part() const { return earlier_part_; }
  /// Directories to try, in order, where a place fails.
  const std::vector<std::string>& fallbacks() const { return fallbacks_; }

 private:
  base::Status open(const std::string& path, bool append);
  base::Status fall_back(const base::Status& why);

  std::string wanted_path_, open_path_, trouble_, earlier_part_, identity_, kept_;
  std::vector<std::string> fallbacks_;
  size_t next_fallback_ = 0;
  bool append_ = false, joins_ = false;
  mode_t in_progress_ = 0, when_complete_ = 0;
  uint64_t job_ = 0, producer_ = 0, start_utc_ns_ = 0;
  format::TableFilter* filter_ = nullptr;
  std::optional<SharedLog> shared_;
  std::optional<format::Writer> writer_;
};

}  // namespace headrace::capture
