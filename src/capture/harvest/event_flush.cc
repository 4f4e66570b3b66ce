#include "capture/harvest/event_flush.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "base/clock.h"
#include "base/hash.h"
#include "capture/harvest/event_file_lock.h"
#include "capture/harvest/job_facts.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/open_trace.h"
#include "capture/harvest/spool_directory.h"
#include "capture/harvest/store_events.h"
#include "capture/harvest/trace_path.h"
#include "capture/harvest/trace_sink.h"
#include "events/trace_files.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Facts = std::map<std::string, std::string>;

/// One flush, in the order of its methods.
class Flush {
 public:
  Flush(int directory, std::string path, const SpoolName& spool, LockedEventFile& file)
      : directory_(directory), path_(std::move(path)), spool_(spool), file_(file), facts_(read_job_facts(directory)) {
    const auto wanted = facts_.find(kSinkFact);
    if (wanted != facts_.end()) choice_ = read_sink_choice(wanted->second).value_or(SinkChoice());
  }

  Status perform();

 private:
  Status read_clock();
  Status open_target();
  Status open_new_target();
  Status go_on_in_target();
  Status make_target();
  Status open_stream();
  std::unique_ptr<TraceSink> make_sink() const;
  void tell(FlushStep step) { file_.header().told.ticks[step] = ticks(); }
  uint64_t ticks() const;
  events::Location location() const;

  int directory_;
  const std::string path_;
  const SpoolName& spool_;
  LockedEventFile& file_;
  const Facts facts_;
  SinkChoice choice_;
  Header header_{};
  FlushAccount account_;
  std::optional<Moment> job_start_;
  std::optional<ClockMap> clock_;
  std::unique_ptr<format::Sink> sink_;
};

uint64_t Flush::ticks() const {
  return header_.clock == ClockKind::kMonotonic ? base::clock_ns(CLOCK_MONOTONIC) : Moment::now().ticks;
}

/// Times count from the job's start, or in a part from the process's.
Status Flush::read_clock() {
  const int fd = openat(directory_, spool_.file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const bool whole = fd >= 0 && pread(fd, &header_, sizeof header_, 0) == static_cast<ssize_t>(sizeof header_);
  if (fd >= 0) close(fd);
  if (!whole || header_.magic != kSpoolMagic) return {Code::kCorrupt, spool_.file + ": cannot be read"};
  tell(kFlushBegan);
  job_start_ = told_start(facts_);
  return {};
}

Status Flush::go_on_in_target() {
  struct stat info{};
  if (stat(account_.trace.c_str(), &info) != 0 || info.st_dev != account_.device || info.st_ino != account_.file)
    return {Code::kNotFound, account_.trace + ": it is not there any more, or is another file"};
  HEADRACE_ASSIGN(sink_, format::FileSink::open(account_.trace, format::FileSink::Mode::kAppend));
  return account_.is_part ? Status() : open_stream();
}

std::unique_ptr<TraceSink> Flush::make_sink() const {
  const auto mode = facts_.find("trace_mode");
  const auto bits = static_cast<mode_t>(mode == facts_.end() ? 0 : strtoul(mode->second.c_str(), nullptr, 8));
  return make_trace_sink(choice_, account_.trace, path_, bits);
}

/// In place of the trace itself, if what was asked for has another file for this process.
Status Flush::open_stream() {
  const std::unique_ptr<TraceSink> streams = make_sink();
  if (!streams) return {};
  const bool is_new = account_.stream.file.empty();
  const events::Location here = location();
  const auto ranks = static_cast<uint64_t>(std::max(header_.ranks, 0));
  HEADRACE_ASSIGN(auto stream,
                  streams->open({here.process, here.process_id, here.rank, ranks, header_.instance, account_.job},
                                account_.stream));
  if (!stream) return {};
  if (is_new) {
    account_.references.clear();  // those are in another file
    HEADRACE_ASSIGN(auto trace, events::TraceWriter::open(std::move(sink_), account_.job,
                                                          base::mix(here.process, base::hash_text("stream"))));
    HEADRACE_TRY(trace.add_facts({{events::kStream + std::to_string(here.process), account_.stream.file}}));
  }
  sink_ = std::move(stream);
  return {};
}

/// The trace, if it is known where it lies and it can be written; otherwise a part.
Status Flush::open_new_target() {
  account_.is_part = choice_.kind == SinkChoice::Kind::kMemory;
  if (choice_.kind == SinkChoice::Kind::kNull) {
    account_.job = 1;
    sink_ = std::make_unique<format::NullSink>();
    return {};
  }
  HEADRACE_TRY(make_target());
  struct stat info{};
  if (stat(account_.trace.c_str(), &info) != 0) return {Code::kIo, account_.trace + ": " + strerror(errno)};
  account_.device = info.st_dev;
  account_.file = info.st_ino;
  return account_.is_part ? Status() : open_stream();
}

Status Flush::make_target() {
  const auto log = facts_.find("log"), identity = facts_.find(kIdentityFact), mode = facts_.find("trace_mode");
  const bool in_memory = std::exchange(account_.is_part, true);
  if (!in_memory && log != facts_.end() && identity != facts_.end() && job_start_) {
    LogOutput output(log->second, {});
    output.belong_to(identity->second, true);
    const auto bits = static_cast<mode_t>(mode == facts_.end() ? 0 : strtoul(mode->second.c_str(), nullptr, 8));
    output.permit(bits, bits);
    if (auto opened = open_trace(trace_path(output.place()), output, *job_start_); opened.ok()) {
      account_.trace = opened->path;
      account_.job = opened->job;
      account_.is_part = false;
      sink_ = std::move(opened->sink);
    }
  }
  if (account_.is_part) {
    account_.trace = path_ + "/" + copy_name(spool_.file, kPart);
    account_.job = base::hash_text(spool_.file) | 1;
    umask(077);
    HEADRACE_ASSIGN(sink_, format::FileSink::open(account_.trace, format::FileSink::Mode::kReplace));
  }
  return {};
}

Status Flush::open_target() {
  HEADRACE_TRY(account_.trace.empty() ? open_new_target() : go_on_in_target());
  const Moment own{0, header_.monotonic_ns[0], header_.realtime_ns, header_.boottime_ns}, now = Moment::now();
  clock_.emplace(header_, account_.is_part || !job_start_ ? own : *job_start_, now);
  if (!clock_->known()) return {Code::kCorrupt, "no clock is known for the times of events"};
  clock_->go_on_from(account_.points, now);
  const uint64_t most = file_.header().most_bytes;
  if (most != 0 && bytes_of_trace(account_.trace) >= most)
    return {Code::kLimit, "the trace is as large as it may become: give more with --trace-size"};
  tell(kTraceOpened);
  return {};
}

events::Location Flush::location() const {
  const uint64_t id = model::process_id_of(host_name(), spool_.image.process_id, spool_.image.created_ns);
  const int32_t rank = header_.ranks > 0 ? header_.rank : -1;
  return {id, 0, rank, host_name(), spool_.image.process_id, 0};
}

Status Flush::perform() {
  HEADRACE_TRY(read_clock());
  HEADRACE_ASSIGN(account_, read_account(directory_, copy_name(spool_.file, kAccount)));
  RecordedEvents recorded = read_events(EventBytes({file_.bytes(), file_.size()}));
  if (recorded.damaged) return {Code::kCorrupt, "what was recorded is damaged"};
  HEADRACE_TRY(open_target());
  events::Location where = location();
  const uint64_t number = base::mix(where.process, recorded.generation + 1);
  HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::move(sink_), account_.job, number));
  writer.know(account_.references);
  HEADRACE_TRY(
      store_events(recorded, *clock_, where, [](uint32_t) { return true; }, [] { return false; }, account_, writer));
  HEADRACE_TRY(writer.flush());
  file_.header().told.bytes = writer.bytes();
  tell(kChunksWritten);
  if (account_.trace.empty()) account_.dropped += writer.bytes();
  account_.points = clock_->points();
  account_.generation = recorded.generation + 1;
  HEADRACE_TRY(keep_account(directory_, copy_name(spool_.file, kAccount), account_));
  tell(kFlushCommitted);
  __atomic_store_n(&file_.header().done, account_.generation, __ATOMIC_RELEASE);
  return {};
}

}  // namespace

int flush_event_file(const std::string& path) {
  const rlimit nothing{0, 0};
  (void)setrlimit(RLIMIT_CORE, &nothing);
  const size_t slash = path.rfind('/'), ending = path.size() - strlen(kEvents);
  SpoolName spool;
  if (slash == std::string::npos || !path.ends_with(kEvents) ||
      !parse_spool_name(path.substr(slash + 1, ending - slash - 1) + ".spool", &spool))
    return 2;
  const std::string directory = path.substr(0, slash);
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  LockedEventFile file(descriptor, path.substr(slash + 1));
  if (!file.ok()) return 1;
  const Status done = Flush(descriptor, directory, spool, file).perform();
  if (!done.ok()) strncpy(file.header().why, done.message().c_str(), sizeof file.header().why - 1);
  return done.ok() ? 0 : 1;
}

}  // namespace headrace::capture
