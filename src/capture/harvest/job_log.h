// The job log in the making: rows of finished processes go in, chunks come out.
//
// One thread at a time.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "anonymize/anonymizer.h"
#include "base/bytes.h"
#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/file_layout.h"
#include "capture/harvest/log_output.h"
#include "capture/harvest/log_tables.h"
#include "capture/harvest/mounts.h"
#include "capture/harvest/process_tree.h"
#include "capture/harvest/remainder.h"
#include "capture/harvest/spool_reader.h"
#include "capture/harvest/topology.h"
#include "capture/harvest/trace_log.h"

namespace headrace::capture {

/// Name of this machine, as logs have it.
std::string host_name();
/// A JSON array of strings; bytes that are not UTF-8 become the lone surrogates that Python's os.fsencode turns back.
std::string json_array(const std::vector<std::string>& texts);

class JobLog {
 public:
  JobLog(LogOutput output, const Moment& start);

  /// What is written from now on is written without names; `key` as in what is already there.
  void anonymize(const base::SipKey& key);

  /// What the log calls the process image `id`.
  uint64_t stored_id(uint64_t id) const { return anonymizer_ ? anonymizer_->names().id(id) : id; }

  /// Which I/O node serves which node: those that processes ran on get a row.
  void describe_nodes(Topology topology) { topology_ = std::move(topology); }

  /// Goes on in a log that was closed, or that another process left.
  void continue_in(LogOutput output);

  const Moment& start() const { return start_; }
  /// When the last of the processes that were added here ended, or was last seen; the start when there are none.
  uint64_t last_end_utc_ns() const { return start_.realtime_ns + last_end_ns_; }
  const std::string& host() const { return host_; }
  ProcessTree& tree() { return tree_; }
  LogOutput& output() { return output_; }
  const LogOutput& output() const { return output_; }
  LogTables& tables() { return tables_; }
  uint64_t processes() const { return processes_; }

  /// Adds a process image and all its figures from the bytes of its spool. `settle` completes the process (parent, how
  /// it ended) between reading and adding. A spool that cannot be read becomes a row that says why.
  /// `reduced`: the copy of it whose figures are in the log already; empty: none are.
  template <typename Settle>
  void add_spool(std::span<std::byte> bytes, std::span<std::byte> reduced, const std::string& label, const Image& image,
                 const Moment& now, Settle&& settle);
  /// Adds what a process image recorded event by event to the trace beside the log. `spool`: its spool, whose clock it
  /// is. `account`: of what is stored already, perhaps in `part`. What cannot be added is told as a gap.
  void add_events(const EventBytes& events, FlushAccount account, const std::string& part,
                  std::span<const std::byte> spool, const model::Process& process, const Moment& now);
  /// Tells of events for which a process could not even make a file.
  void add_lost_events(std::span<const std::byte> spool);
  /// Tells of a process whose events cannot all be read.
  void add_damaged_trace(const std::string& why);
  /// Asks file systems for the layouts of files that reduced ranks left the names of, and adds them.
  void add_layouts(base::Bytes files_to_ask);
  /// Adds a process image that was not captured; `process.reason` says why.
  void add_uncaptured(model::Process process);
  /// Paths below `prefix` are those of `directory` at forwarding servers; before any process is added.
  void add_forwarded(const std::string& prefix, const std::string& directory) {
    forwarded_.push_back({0, prefix, "headrace", directory, "forwarded"});
  }
  /// Something about the whole job that is not in the figures.
  void add_gap(const model::Gap& gap) { tables_.add_gap(0, gap); }
  /// Where events go, by the fact that tells of it; before any process is added.
  void choose_trace_sink(const std::string& choice, const std::string& spool) {
    trace_.choose_sink(read_sink_choice(choice).value_or(SinkChoice()), spool);
  }
  void add_fact(std::string key, std::string value) {
    trace_.take_fact(key, value);
    tables_.add_fact(std::move(key), std::move(value));
  }

  const TraceLog& trace() const { return trace_; }
  /// Calls that are not in the trace although they should be, by the reason; processes of which a part cannot be read;
  /// and what went wrong with the trace as a whole.
  const std::map<std::string, uint64_t>& calls_not_traced() const { return not_traced_; }
  uint64_t damaged_traces() const { return damaged_traces_; }
  const std::vector<std::string>& trace_troubles() const { return trace_troubles_; }

  /// Stores what waits. Fails only when no place takes it.
  base::Status flush();
  base::Status close();

 private:
  class Rows;
  void add_contents(const SpoolContents& contents);
  void add_libraries_inside(const SpoolContents& contents);
  void add_process(const model::Process& process);
  void add_trace_parts();
  void add_not_traced(uint64_t calls, const std::string& why);
  void add_trace_trouble(const base::Status& status);

  std::unique_ptr<anonymize::Anonymizer> anonymizer_;  // before its user
  LogOutput output_;
  Moment start_;
  TraceLog trace_;
  std::string host_;
  uint64_t last_end_ns_ = 0;  // since the start, by the processes' clocks
  ProcessTree tree_;
  LogTables tables_;
  MountTable mounts_;
  std::vector<Mount> forwarded_;
  FileLayouts layouts_;
  Topology topology_;
  std::unordered_set<std::string> nodes_;  // that have been looked at
  uint64_t mounts_read_ns_ = 0, processes_ = 0;
  size_t told_parts_ = 0;  // of the trace
  std::map<std::string, uint64_t> not_traced_;
  uint64_t damaged_traces_ = 0;
  std::vector<std::string> trace_troubles_;
  uint64_t excluded_other_ = 0;  // of all processes: a row for each would drown what matters

  bool has_layouts_ = false;  // some mount tells how files are laid out

  void refresh_mounts(const Moment& now);
  const Mount* mount_of(const std::string& path, model::FileKind kind);
};

class JobLog::Rows : public RecordSink {
 public:
  Rows(JobLog& log, uint64_t process) : log_(log), process_(process) {}
  void record(const model::FileRecord& record) override;
  /// Once all records are known to be good.
  void add_layouts();

 private:
  struct Told {
    uint64_t record;
    std::string path;
    const Mount* mount;
  };
  JobLog& log_;
  uint64_t process_;
  std::vector<Told> told_;
};

template <typename Settle>
void JobLog::add_spool(std::span<std::byte> bytes, std::span<std::byte> reduced, const std::string& label,
                       const Image& image, const Moment& now, Settle&& settle) {
  refresh_mounts(now);
  tables_.mark();
  Rows rows(*this, tree_.id_of(image));
  auto contents = reduced.empty() ? read_spool(bytes, label, start_, now, rows)
                                  : read_remainder(bytes, reduced, label, start_, now, rows);
  if (!contents.ok()) {
    tables_.rewind();
    model::Process process;
    process.process_id = image.process_id;
    process.reason = contents.message();
    settle(process, false);
    tree_.end(image, process.ended, process.end_at_ns);
    process.id = tree_.id_of(image);
    return add_uncaptured(std::move(process));
  }
  settle(contents->process, contents->forked);
  const uint64_t looked_at_ns = now.monotonic_ns > start_.monotonic_ns ? now.monotonic_ns - start_.monotonic_ns : 0;
  const bool runs = contents->process.ended == model::Ended::kRunning;
  if (runs) contents->process.seen_at_ns = looked_at_ns;
  close_open(contents->phases, runs ? looked_at_ns : contents->process.end_at_ns);
  contents->process.id = tree_.id_of(image);
  contents->process.host = host_;
  tree_.end(image, contents->process.ended, contents->process.end_at_ns);
  rows.add_layouts();
  add_contents(*contents);
}

}  // namespace headrace::capture
