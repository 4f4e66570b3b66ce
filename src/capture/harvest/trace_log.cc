#include "capture/harvest/trace_log.h"

#include <unistd.h>

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

Status TraceLog::open(LogOutput& log) {
  if (choice_.kind == SinkChoice::Kind::kNull) {
    HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::make_unique<format::NullSink>(), 1, log.producer()));
    writer_.emplace(std::move(writer));
    return {};
  }
  HEADRACE_ASSIGN(OpenedTrace opened, open_trace(log, start_));
  path_ = opened.path;
  stored_ = std::move(opened.stored);
  job_ = opened.job;
  streams_ = make_trace_sink(choice_, path_, spool_, log.mode_in_progress());
  HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::move(opened.sink), opened.job, log.producer()));
  writer_.emplace(std::move(writer));
  return add_waiting_facts();
}

Status TraceLog::add_waiting_facts() {
  const auto facts = std::exchange(facts_, {});
  return facts.empty() ? Status() : writer_->add_facts(facts);
}

base::Result<std::optional<events::TraceWriter>> TraceLog::open_stream(const model::Process& process, uint64_t producer,
                                                                       FlushAccount& account) {
  if (!streams_) return std::optional<events::TraceWriter>();
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
  return std::to_string(dropped_events_) + " events in " + std::to_string(dropped_bytes_) +
         " bytes, as trace_sink=null asks for";
}

/// Facts about messages that are in no event, of each process its own key; and why ranks did not flush together.
Status TraceLog::add_untraced(uint64_t process, const RecordedEvents& recorded) {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::string of = std::to_string(process);
  if (recorded.missed_messages > 0)
    facts.emplace_back(events::kMissedMessages + of, std::to_string(recorded.missed_messages));
  if (recorded.foreign_messages > 0)
    facts.emplace_back(events::kForeignMessages + of, std::to_string(recorded.foreign_messages));
  if (!recorded.flushes_alone.empty()) facts.emplace_back("flushes_alone", recorded.flushes_alone);
  return facts.empty() ? Status() : writer_->add_facts(facts);
}

Status TraceLog::add(LogOutput& log, const model::Process& process, RecordedEvents& recorded, const Header& header,
                     const ClockMap& clock, FlushAccount& account, const std::string& part) {
  if (failed_) return {Code::kLimit, "an earlier part of the trace could not be stored"};
  failed_ = true;
  if (!writer_) HEADRACE_TRY(open(log));
  HEADRACE_ASSIGN(std::optional<events::TraceWriter> own, open_stream(process, log.producer(), account));
  events::TraceWriter& to = own ? *own : *writer_;
  const uint64_t bytes_before = to.bytes();
  if (account.is_part) HEADRACE_TRY(take_part(part, process, clock.start_at_ns() - 1, account, to));
  HEADRACE_TRY(add_untraced(process.id, recorded));
  if (recorded.filter != filter_) {
    filter_ = recorded.filter;
    HEADRACE_TRY(writer_->add_facts({{"filter", filter_}}));
  }
  events::Location location{process.id, 0, static_cast<int32_t>(process.rank), process.host, process.process_id, 0};
  const auto is_new = [&](uint32_t thread) { return stored_.count({process.id, thread}) == 0; };
  HEADRACE_TRY(store_events(recorded, clock, location, is_new, account, to));
  if (own) HEADRACE_TRY(own->flush());
  dropped_bytes_ += account.dropped + to.bytes() - bytes_before;
  if (!has(process.id)) HEADRACE_TRY(writer_->add(clock_rows(process.id, header, recorded, clock)));
  uint64_t lost = recorded.lost;  // of the process: told with its first thread
  for (const auto& [thread, stored] : account.threads) {
    location.thread = thread;
    location.lost = std::exchange(lost, 0);
    dropped_events_ += stored.at.events;
    if (is_new(thread)) HEADRACE_TRY(writer_->add_row(location, stored.at.events));
  }
  failed_ = false;
  return {};
}

/// Whether an earlier writer stored something of it.
bool TraceLog::has(uint64_t process) const {
  const auto before = stored_.lower_bound({process, 0});
  return before != stored_.end() && before->first == process;
}

Status TraceLog::add(const std::vector<events::Account>& accounts) {
  if (!writer_ || accounts.empty()) return {};
  if (has(accounts.front().process)) return {};
  return writer_->add(std::span(accounts));
}

void TraceLog::put_others_aside(LogOutput& log) const {
  const std::string path = trace_path(log.place());
  if (!path_.empty() || access(path.c_str(), F_OK) != 0) return;
  const FoundTrace found = look_at_trace(path, log.identity(), start_.realtime_ns);
  if (found.is_trace && !found.job) put_trace_aside(path);
}

Status TraceLog::close() {
  if (!writer_) return {};
  const Status finished = streams_ ? streams_->finish() : Status();
  const Status told = add_waiting_facts();
  const Status closed = writer_->close();
  writer_.reset();
  return !closed.ok() ? closed : told.ok() ? finished : told;
}

}  // namespace headrace::capture
