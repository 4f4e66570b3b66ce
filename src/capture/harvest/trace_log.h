// The trace of a job beside its log: what processes recorded event by event goes in as they end.
//
// One thread at a time. The file is made when the first process with events ends.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/event_reader.h"
#include "capture/harvest/flush_account.h"
#include "capture/harvest/log_output.h"
#include "capture/harvest/trace_places.h"
#include "events/trace_writer.h"
#include "model/process.h"

namespace headrace::capture {

class TraceLog {
 public:
  explicit TraceLog(const Moment& start) : start_(start) {}

  /// Before events are added: where they go (trace_sink.h). `spool`: the directory of the spools.
  void choose_sink(const SinkChoice& choice, std::string spool) {
    choice_ = choice;
    spool_ = std::move(spool);
  }
  /// A fact of the log: those that say what was run and recorded are the trace's too.
  void take_fact(const std::string& key, const std::string& value) {
    if ((key == "command" && value != "[]") || key == "trace_python") facts_.emplace_back(key, value);
  }
  /// What became of them where that is nowhere; empty: nothing did.
  std::string dropped() const;

  /// Adds the events of a process, unless the trace has them already. `log`: the job's, beside which the trace lies. A
  /// trace of an earlier job there is kept as FILE.old; one of this job, which other launchers may write at the same
  /// time, is gone on with. Where it can be written no more it goes on at another place, and this process is stored
  /// there as a whole. When no place is left nothing more is added: kLimit.
  /// `account`: of what flushers have stored of it; those in a `part` are put into the trace too. `header`: of its
  /// spool.
  base::Status add(LogOutput& log, const model::Process& process, RecordedEvents& recorded, const Header& header,
                   const ClockMap& clock, FlushAccount& account, const std::string& part);
  /// Adds what its threads counted besides, after its events.
  base::Status add(LogOutput& log, const std::vector<events::Account>& accounts);
  /// Where it is, or what came last of it; empty: there is none yet.
  const std::string& path() const { return path_; }
  /// Where else it is, and why.
  const TracePlaces& places() const { return places_; }
  /// Why not all is in the files that --trace-sink asks for, though it is in the trace; empty: all is.
  const std::string& sink_trouble() const { return sink_trouble_; }

  /// Stores what waits.
  base::Status flush(LogOutput& log);
  base::Status close(LogOutput& log);

  /// Where this job has no trace: one of an earlier job, which would be taken for the log's, becomes FILE.old.
  void put_others_aside(LogOutput& log) const;

 private:
  base::Status open(LogOutput& log);
  base::Status store(LogOutput& log, const std::function<base::Status()>& step);
  void leave_place(const base::Status& why);
  base::Status tell_place();
  base::Status tell_parts();
  base::Status add_process(LogOutput& log, const model::Process& process, RecordedEvents& recorded,
                           const Header& header, const ClockMap& clock, FlushAccount& account, const std::string& part);
  /// The stream of a process that has one; none: it is in the trace itself.
  base::Result<std::optional<events::TraceWriter>> open_stream(const model::Process& process, uint64_t producer,
                                                               FlushAccount& account);
  base::Status add_waiting_facts();
  bool has(uint64_t process) const;
  base::Status add_untraced(uint64_t process, const RecordedEvents& recorded);

  Moment start_;
  SinkChoice choice_;
  std::string spool_;
  TracePlaces places_;
  std::unique_ptr<TraceSink> streams_;
  bool use_streams_ = true;
  std::string sink_trouble_;
  uint64_t job_ = 0, dropped_events_ = 0, added_bytes_ = 0;
  std::string path_;
  std::optional<events::TraceWriter> writer_, left_;                     // left: of the place before, whose rows wait
  std::set<std::pair<uint64_t, uint32_t>> stored_;                       // processes and threads that were there before
  std::string filter_;                                                   // as the trace has it
  size_t told_parts_ = 0;                                                // of places_, that the trace names
  std::vector<std::pair<std::string, std::string>> facts_, told_facts_;  // that the trace does not have yet; and has
  bool failed_ = false;
};

}  // namespace headrace::capture
