// The trace of a job beside its log: what processes recorded event by event goes in as they end.
//
// One thread at a time. The file is made when the first process with events ends.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/event_reader.h"
#include "events/trace_writer.h"
#include "model/process.h"

namespace headrace::capture {

/// Where the trace of a log goes: "job.trace.hr" of "job.hr".
std::string trace_path(const std::string& log);

class TraceLog {
 public:
  explicit TraceLog(const Moment& start) : start_(start) {}

  /// Adds the events of a process. `log`: where the job's log is, or is to be. A trace of an earlier job there is kept
  /// as FILE.old; one of this job is gone on with.
  base::Status add(const std::string& log, const model::Process& process, const RecordedEvents& recorded,
                   const ClockMap& clock);
  /// Stores what waits.
  base::Status flush() { return writer_ ? writer_->flush() : base::Status(); }
  base::Status close();

  /// Where this job has no trace: one of an earlier job, which would be taken for the log's, becomes FILE.old.
  void put_others_aside(const std::string& log) const;

  /// Where it is; empty: nothing was recorded.
  const std::string& path() const { return path_; }
  uint64_t events() const { return writer_ ? writer_->events() : 0; }
  uint64_t lost() const { return lost_; }

 private:
  base::Status open(const std::string& log);

  Moment start_;
  std::string path_;
  std::optional<events::TraceWriter> writer_;
  uint64_t lost_ = 0;
};

}  // namespace headrace::capture
