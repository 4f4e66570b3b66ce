#include "capture/harvest/trace_log.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "capture/harvest/clock_rows.h"
#include "capture/harvest/open_trace.h"
#include "capture/harvest/store_events.h"
#include "capture/harvest/trace_path.h"
#include "events/trace_files.h"

namespace headrace::capture {

using base::Code;
using base::Status;

namespace {

/// One is not told instead of the other.
Status both(const Status& first, const Status& second) {
  if (first.ok() || second.ok()) return first.ok() ? second : first;
  return {first.code(), first.message() + "; " + second.message()};
}

}  // namespace

Status TraceLog::open(LogOutput& log) {
  if (choice_.kind == SinkChoice::Kind::kNull) {
    HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::make_unique<format::NullSink>(), 1, log.producer()));
    writer_.emplace(std::move(writer));
    return {};
  }
  HEADRACE_ASSIGN(OpenedTrace opened, places_.open(log, start_));
  path_ = opened.path;
  stored_.merge(opened.stored);
  job_ = opened.job;
  use_streams_ =
      places_.trouble().empty() && sink_trouble_.empty();  // in a place that is but a refuge one file is enough
  if (use_streams_) streams_ = make_trace_sink(choice_, path_, spool_, log.mode_in_progress());
  HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::move(opened.sink), opened.job, log.producer()));
  writer_.emplace(std::move(writer));
  if (left_) writer_->take_waiting(*left_);
  left_.reset();
  told_parts_ = 0;
  return {};
}

/// Each place is told all.
Status TraceLog::add_waiting_facts() {
  if (facts_.empty()) return {};
  HEADRACE_TRY(writer_->add_facts(facts_));
  told_facts_.insert(told_facts_.end(), facts_.begin(), facts_.end());
  facts_.clear();
  return {};
}

Status TraceLog::tell_place() {
  HEADRACE_TRY(add_waiting_facts());
  return tell_parts();
}

/// The trace names the other files that its beginning is in.
Status TraceLog::tell_parts() {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::vector<std::string>& parts = places_.parts();
  for (size_t part = told_parts_; part < parts.size(); ++part)
    facts.emplace_back(events::kFirstPart + std::to_string(part + 1), parts[part]);
  told_parts_ = parts.size();
  return facts.empty() ? Status() : writer_->add_facts(facts);
}

/// First from the files of a sink, such as those on local storage, to the trace itself; from there to another place.
void TraceLog::leave_place(const Status& why) {
  if (use_streams_ && streams_) {
    use_streams_ = false;
    sink_trouble_ = why.message();
    return;
  }
  places_.leave(path_, why);
  left_ = std::move(writer_);
  writer_.reset();
  path_.clear();
  filter_.clear();
  facts_.insert(facts_.begin(), told_facts_.begin(), told_facts_.end());
  told_facts_.clear();
}

/// Does a step, at the next place if this one fails.
Status TraceLog::store(LogOutput& log, const std::function<Status()>& step) {
  while (!failed_) {
    Status status = writer_ ? Status() : open(log);
    failed_ = !writer_;
    if (failed_) return status;
    if (status.ok()) status = tell_place();
    if (status.ok()) status = step();
    const bool of_the_place =
        status.code() == Code::kNoSpace || status.code() == Code::kIo || status.code() == Code::kNotFound;
    if (status.ok() || !of_the_place) return status;
    leave_place(status);
  }
  return {Code::kLimit, "an earlier part of the trace could not be stored"};
}

base::Result<std::optional<events::TraceWriter>> TraceLog::open_stream(const model::Process& process, uint64_t producer,
                                                                       FlushAccount& account) {
  if (!streams_ || !use_streams_) return std::optional<events::TraceWriter>();
  const bool is_new = account.stream.file.empty();
  HEADRACE_ASSIGN(auto sink,
                  streams_->open({process.id, process.process_id, process.rank, process.ranks, process.instance, job_},
                                 account.stream));
  if (!sink) return std::optional<events::TraceWriter>();
  if (is_new) HEADRACE_TRY(writer_->add_facts({{events::kStream + std::to_string(process.id), account.stream.file}}));
  HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::move(sink), job_, base::mix(producer, process.id)));
  if (!is_new) writer.know(account.references);
  return std::optional<events::TraceWriter>(std::move(writer));
}

std::string TraceLog::dropped() const {
  if (choice_.kind != SinkChoice::Kind::kNull) return "";
  return std::to_string(dropped_events_) + " events in " + std::to_string(added_bytes_) +
         " bytes, as trace_sink=null asks for";
}

/// Facts about messages that are in no event, of each process its own key; why ranks did not flush together; and what
/// threads never came back from.
Status TraceLog::add_untraced(uint64_t process, const RecordedEvents& recorded) {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::string of = std::to_string(process);
  if (recorded.missed_messages > 0)
    facts.emplace_back(events::kMissedMessages + of, std::to_string(recorded.missed_messages));
  if (recorded.foreign_messages > 0)
    facts.emplace_back(events::kForeignMessages + of, std::to_string(recorded.foreign_messages));
  if (!recorded.flushes_alone.empty()) facts.emplace_back("flushes_alone", recorded.flushes_alone);
  facts.insert(facts.end(), recorded.unfinished_facts.begin(), recorded.unfinished_facts.end());
  return facts.empty() ? Status() : writer_->add_facts(facts);
}

Status TraceLog::add(LogOutput& log, const model::Process& process, RecordedEvents& recorded, const Header& header,
                     const ClockMap& clock, FlushAccount& account, const std::string& part) {
  const FlushAccount before = account;
  const uint64_t unreadable = recorded.unreadable, beyond = recorded.beyond;
  return store(log, [&] {
    account = before;
    recorded.unreadable = unreadable;
    recorded.beyond = beyond;
    return add_process(log, process, recorded, header, clock, account, part);
  });
}

namespace {

/// What was run, without directories: by its first argument, as `ps` has it.
std::string command_of(const model::Process& process) {
  std::string name = process.arguments.substr(0, process.arguments.find('\0'));
  if (name.empty()) name = process.executable;
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

Status TraceLog::add_process(LogOutput& log, const model::Process& process, RecordedEvents& recorded,
                             const Header& header, const ClockMap& clock, FlushAccount& account,
                             const std::string& part) {
  if (!account.is_part && !account.trace.empty() && account.trace != path_) {
    places_.add_part(account.trace);  // a flusher of its has found another place
    account.stream = {};
    HEADRACE_TRY(tell_parts());
  }
  HEADRACE_ASSIGN(std::optional<events::TraceWriter> own, open_stream(process, log.producer(), account));
  events::TraceWriter& to = own ? *own : *writer_;
  const uint64_t bytes_before = to.bytes();
  const bool limited = recorded.most_bytes != 0 && !path_.empty();
  // Files on local storage of a node are nowhere near it yet.
  const uint64_t on_disk = limited ? std::max(bytes_of_trace(path_), added_bytes_) : 0;
  const auto is_full = [&] { return limited && on_disk + to.bytes() - bytes_before >= recorded.most_bytes; };
  if (account.is_part) HEADRACE_TRY(take_part(part, process, clock.start_at_ns() - 1, account, to));
  HEADRACE_TRY(add_untraced(process.id, recorded));
  if (recorded.filter != filter_) {
    HEADRACE_TRY(writer_->add_facts({{"filter", recorded.filter}}));
    filter_ = recorded.filter;
  }
  events::Location location{
      process.id, 0, static_cast<int32_t>(process.rank), process.host, process.process_id, 0, command_of(process)};
  const auto is_new = [&](uint32_t thread) { return stored_.count({process.id, thread}) == 0; };
  HEADRACE_TRY(store_events(recorded, clock, location, is_new, is_full, account, to));
  if (const std::string why = reason_of_loss(recorded); !why.empty()) HEADRACE_TRY(writer_->add_facts({{"cut", why}}));
  if (own) HEADRACE_TRY(own->flush());
  added_bytes_ += account.dropped + to.bytes() - bytes_before;
  if (!has(process.id)) HEADRACE_TRY(writer_->add(clock_rows(process.id, header, recorded, clock)));
  uint64_t lost = recorded.lost + recorded.beyond;  // of the process: told with its first thread
  for (const auto& [thread, stored] : account.threads) {
    location.thread = thread;
    location.lost = std::exchange(lost, 0);
    const auto named = account.thread_names.find(thread);
    location.name = named == account.thread_names.end() ? "" : named->second;
    dropped_events_ += stored.at.events;
    if (is_new(thread)) HEADRACE_TRY(writer_->add_row(location, stored.at.events));
  }
  return {};
}

/// Whether an earlier writer stored something of it.
bool TraceLog::has(uint64_t process) const {
  const auto before = stored_.lower_bound({process, 0});
  return before != stored_.end() && before->first == process;
}

Status TraceLog::add(LogOutput& log, const std::vector<events::Account>& accounts) {
  if (!writer_ || accounts.empty()) return {};
  if (has(accounts.front().process)) return {};
  return store(log, [&] { return writer_->add(std::span(accounts)); });
}

Status TraceLog::flush(LogOutput& log) {
  return writer_ ? store(log, [&] { return writer_->flush(); }) : Status();
}

void TraceLog::put_others_aside(LogOutput& log) const {
  const std::string path = trace_path(log.place());
  if (!path_.empty() || access(path.c_str(), F_OK) != 0) return;
  const FoundTrace found = look_at_trace(path, log.identity(), start_.realtime_ns);
  if (found.is_trace && !found.job) put_trace_aside(path);
}

/// What a sink gathered is stored, or it is said where it lies, whatever became of the trace.
Status TraceLog::close(LogOutput& log) {
  const Status flushed = flush(log);
  const Status finished = streams_ ? streams_->finish() : Status();
  const Status closed = writer_ ? writer_->close() : Status();
  streams_.reset();
  writer_.reset();
  return both(flushed.ok() ? closed : flushed, finished);
}

}  // namespace headrace::capture
