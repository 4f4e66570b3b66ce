#include "capture/harvest/open_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "base/hash.h"
#include "events/trace_files.h"
#include "events/trace_writer.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::capture {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr char kIdentity[] = "identity", kStart[] = "start_utc_ns";

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

FoundTrace look_at_trace(const std::string& path, const std::string& identity, uint64_t start_utc_ns) {
  FoundTrace found;
  auto reader = format::Reader::open(path);
  if (!reader.ok() || reader->jobs().size() != 1) return found;
  const auto facts = reader->table("job");
  const format::Column* keys = facts.ok() ? facts->find("key") : nullptr;
  const format::Column* values = facts.ok() ? facts->find("value") : nullptr;
  if (keys == nullptr || values == nullptr) return found;
  for (uint64_t row = 0; row < facts->rows; ++row) {
    const std::string_view key = keys->text(row), value = values->text(row);
    found.is_trace |= key == events::kTraceOf;
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

/// Its other files first: beside the new trace they would be taken for that one's.
void put_trace_aside(const std::string& path) {
  (void)events::move_other_files(path, path + ".old");
  (void)rename(path.c_str(), (path + ".old").c_str());
}

namespace {

/// Whoever comes next knows the trace by these, so they are there before the lock is given up.
Status begin_trace(const OpenedTrace& opened, LogOutput& log, const Moment& start) {
  HEADRACE_ASSIGN(auto sink, format::FileSink::open(opened.path, format::FileSink::Mode::kAppend));
  HEADRACE_ASSIGN(auto writer, events::TraceWriter::open(std::move(sink), opened.job));
  return writer.add_facts(
      {{kStart, std::to_string(start.realtime_ns)}, {kIdentity, log.identity()}, {events::kTraceOf, log.place()}});
}

}  // namespace

Result<OpenedTrace> open_trace(const std::string& path, LogOutput& log, const Moment& start) {
  OpenedTrace opened;
  opened.path = path;
  HEADRACE_TRY(LogOutput::check_output(opened.path));
  for (int attempt = 0; attempt < 100; ++attempt) {
    const Locked locked(opened.path);
    if (!locked.is_open())
      return Status(Code::kIo, opened.path + ": the trace cannot be written here: " + strerror(errno));
    if (!locked.is_current(opened.path)) continue;
    FoundTrace found = look_at_trace(opened.path, log.identity(), start.realtime_ns);
    if (!locked.is_empty() && !found.job) {
      put_trace_aside(opened.path);
      continue;
    }
    opened.stored = std::move(found.stored);
    opened.job = found.job ? *found.job : base::hash_text(log.identity());
    HEADRACE_ASSIGN(opened.sink, format::FileSink::open(opened.path, format::FileSink::Mode::kAppend));
    if (found.job) return opened;
    locked.permit(log.mode_in_progress());
    if (const Status begun = begin_trace(opened, log, start); !begun.ok()) {
      unlink(opened.path.c_str());
      return begun;
    }
    return opened;
  }
  return Status(Code::kIo, opened.path + ": others take its name again and again");
}

uint64_t bytes_of_trace(const std::string& path) {
  struct stat info{};
  uint64_t bytes = stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
  const auto others = events::other_files(path);
  for (const std::string& other : others.ok() ? *others : std::vector<std::string>())
    if (stat(other.c_str(), &info) == 0) bytes += static_cast<uint64_t>(info.st_blocks) * 512;  // slots are holes
  return bytes;
}

}  // namespace headrace::capture
