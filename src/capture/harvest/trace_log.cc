#include "capture/harvest/trace_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "base/hash.h"
#include "format/reader.h"
#include "format/sink.h"

namespace headrace::capture {

using base::Code;
using base::Status;

namespace {

constexpr char kTraceOf[] = "trace_of", kIdentity[] = "identity", kStart[] = "start_utc_ns";

struct Found {
  bool is_trace = false;
  std::optional<uint64_t> job;  // its id, if it is of this job
  std::set<std::pair<uint64_t, uint32_t>> stored;
};

/// What is at this place, if it is a trace.
Found look_at(const std::string& path, const std::string& identity, uint64_t start_utc_ns) {
  Found found;
  auto reader = format::Reader::open(path);
  if (!reader.ok() || reader->jobs().size() != 1) return found;
  const auto facts = reader->table("job");
  const format::Column* keys = facts.ok() ? facts->find("key") : nullptr;
  const format::Column* values = facts.ok() ? facts->find("value") : nullptr;
  if (keys == nullptr || values == nullptr) return found;
  for (uint64_t row = 0; row < facts->rows; ++row) {
    const std::string_view key = keys->text(row), value = values->text(row);
    found.is_trace |= key == kTraceOf;
    if ((key == kIdentity && value == identity) || (key == kStart && value == std::to_string(start_utc_ns)))
      found.job = reader->jobs().front();
  }
  const auto locations = reader->table("locations");
  const format::Column* processes = locations.ok() ? locations->find("process") : nullptr;
  const format::Column* threads = locations.ok() ? locations->find("thread") : nullptr;
  for (uint64_t row = 0; processes != nullptr && threads != nullptr && row < locations->rows; ++row)
    found.stored.insert({processes->u64(row), static_cast<uint32_t>(threads->u64(row))});
  return found;
}

void put_aside(const std::string& path) { (void)rename(path.c_str(), (path + ".old").c_str()); }

/// Whoever makes or looks at a trace that several launchers may write: one after the other.
class Locked {
 public:
  explicit Locked(const std::string& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ >= 0) (void)flock(descriptor_, LOCK_EX);  // where that does not work, they are rarely at once
  }
  ~Locked() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  void permit(mode_t mode) const {
    if (mode != 0) (void)fchmod(descriptor_, mode);
  }
  bool is_empty() const {
    struct stat mine{};
    return fstat(descriptor_, &mine) == 0 && mine.st_size == 0;
  }
  /// Whether the file is still the one of that name.
  bool is_current(const std::string& path) const {
    struct stat mine{}, there{};
    return fstat(descriptor_, &mine) == 0 && stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
  }

 private:
  int descriptor_;
};

}  // namespace

Status TraceLog::open(LogOutput& log) {
  path_ = trace_path(log.place());
  HEADRACE_TRY(LogOutput::check_output(path_));
  for (int attempt = 0; attempt < 100; ++attempt) {
    const Locked locked(path_);
    if (!locked.is_open()) return {Code::kIo, path_ + ": cannot be made"};
    if (!locked.is_current(path_)) continue;
    Found found = look_at(path_, log.identity(), start_.realtime_ns);
    if (!locked.is_empty() && !found.job) {
      put_aside(path_);
      continue;
    }
    if (locked.is_empty()) locked.permit(log.mode_in_progress());
    stored_ = std::move(found.stored);
    HEADRACE_ASSIGN(auto sink, format::FileSink::open(path_, format::FileSink::Mode::kAppend));
    const uint64_t job = found.job ? *found.job : base::hash_text(log.identity());
    HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::move(sink), job));
    writer_.emplace(std::move(writer));
    if (found.job) return {};
    return writer_->add_facts(
        {{kStart, std::to_string(start_.realtime_ns)}, {kIdentity, log.identity()}, {kTraceOf, log.place()}});
  }
  return {Code::kIo, path_ + ": others take its name again and again"};
}

/// Facts about messages that are in no event: of each process its own key.
Status TraceLog::add_untraced(uint64_t process, const RecordedEvents& recorded) {
  std::vector<std::pair<std::string, std::string>> facts;
  const std::string of = std::to_string(process);
  if (recorded.missed_messages > 0)
    facts.emplace_back(events::kMissedMessages + of, std::to_string(recorded.missed_messages));
  if (recorded.foreign_messages > 0)
    facts.emplace_back(events::kForeignMessages + of, std::to_string(recorded.foreign_messages));
  return facts.empty() ? Status() : writer_->add_facts(facts);
}

Status TraceLog::add(LogOutput& log, const model::Process& process, const RecordedEvents& recorded,
                     const ClockMap& clock) {
  if (failed_) return {Code::kLimit, "an earlier part of the trace could not be stored"};
  failed_ = true;
  if (!writer_) HEADRACE_TRY(open(log));
  std::vector<events::Handle> handles;
  for (const auto& [number, name] : recorded.names) handles.push_back({process.id, number, name});
  HEADRACE_TRY(writer_->add(handles));
  HEADRACE_TRY(add_untraced(process.id, recorded));
  uint64_t lost = recorded.lost;  // of the process: told with its first thread
  for (const auto& [thread, raw] : recorded.threads) {
    const uint64_t told = std::exchange(lost, 0);
    if (stored_.count({process.id, thread}) != 0) continue;
    const ThreadTrace trace = trace_of(recorded, raw, clock);
    const events::Location location{process.id,         thread, static_cast<int32_t>(process.rank), process.host,
                                    process.process_id, told};
    HEADRACE_TRY(writer_->add(location, trace.events, trace.references));
  }
  failed_ = false;
  return {};
}

Status TraceLog::add(const std::vector<events::Account>& accounts) {
  if (!writer_ || accounts.empty()) return {};
  const auto before = stored_.lower_bound({accounts.front().process, 0});
  if (before != stored_.end() && before->first == accounts.front().process) return {};
  return writer_->add(std::span(accounts));
}

void TraceLog::put_others_aside(LogOutput& log) const {
  const std::string path = trace_path(log.place());
  if (!path_.empty() || access(path.c_str(), F_OK) != 0) return;
  const Found found = look_at(path, log.identity(), start_.realtime_ns);
  if (found.is_trace && !found.job) put_aside(path);
}

Status TraceLog::close() {
  if (!writer_) return {};
  const Status closed = writer_->close();
  writer_.reset();
  return closed;
}

}  // namespace headrace::capture
