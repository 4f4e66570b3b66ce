#include "capture/harvest/shared_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr int kCreateAttempts = 100;  // each is lost only to another process that began a log at the same name
constexpr uint64_t kPatience = 30'000'000'000;  // ns to wait for a lock
constexpr size_t kBeginning = 256 << 10;        // bytes of a log that hold its first chunk

Status failure(const std::string& path, const char* what, const char* if_missing = "") {
  const int error = errno;
  Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kIo;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) code = Code::kNoSpace;
  return {code, path + ": cannot " + what + ": " + strerror(error) + (code == Code::kNotFound ? if_missing : "")};
}

enum class Lock { kHeld, kUnknown, kBusy };  // unknown: this file system or kernel has no such locks

/// kBusy: nobody let go of it in time.
Lock lock_log(int descriptor) {
  struct flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  const uint64_t until = base::clock_ns(CLOCK_MONOTONIC) + kPatience;
  for (long pause = 20'000; fcntl(descriptor, F_OFD_SETLK, &whole) != 0; pause = std::min(pause * 2, 5'000'000L)) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return Lock::kUnknown;
    if (base::clock_ns(CLOCK_MONOTONIC) > until) return Lock::kBusy;
    const timespec time = {0, pause};
    nanosleep(&time, nullptr);
  }
  return Lock::kHeld;
}

void unlock(int descriptor) {
  struct flock whole{};
  whole.l_type = F_UNLCK;
  whole.l_whence = SEEK_SET;
  (void)fcntl(descriptor, F_OFD_SETLK, &whole);
}

bool write_all(int descriptor, std::span<const uint8_t> bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

Result<std::vector<uint8_t>> first_chunk(const std::string& identity, uint64_t start_utc_ns,
                                         const SharedLog::Facts& facts, uint64_t job) {
  std::vector<std::string> keys = {kIdentityFact, "start_utc_ns"}, values = {identity, std::to_string(start_utc_ns)};
  for (const auto& [key, value] : facts) {
    keys.push_back(key);
    values.push_back(value);
  }
  std::vector<uint8_t> bytes;
  format::WriterOptions options;
  options.job = job;
  HEADRACE_ASSIGN(format::Writer writer, format::Writer::open(std::make_unique<format::MemorySink>(bytes), options));
  HEADRACE_TRY(writer.add(format::TableBuilder("job").text("key", keys).text("value", values)));
  return bytes;  // without an index: the log goes on
}

/// The path behind a link, which is to stay one when the log is replaced.
std::string resolved(const std::string& path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) != nullptr ? real : path;
}

std::string fact(format::Reader& reader, std::string_view wanted, uint64_t job) {
  const auto table = reader.table("job", job);
  const format::Column* key = table.ok() ? table->find("key") : nullptr;
  const format::Column* value = table.ok() ? table->find("value") : nullptr;
  std::string last;
  for (uint64_t row = 0; key != nullptr && value != nullptr && row < table->rows; ++row) {
    if (key->text(row) == wanted) last = value->text(row);
  }
  return last;
}

}  // namespace

std::string kept_name(const std::string& path) { return path + ".old"; }

std::string identity_text(uint64_t number) {
  char text[17];
  snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

SharedLog& SharedLog::operator=(SharedLog&& other) noexcept {
  path_.swap(other.path_);
  kept_.swap(other.kept_);
  std::swap(descriptor_, other.descriptor_);
  job_ = other.job_;
  start_utc_ns_ = other.start_utc_ns_;
  created_ = other.created_;
  return *this;
}

SharedLog::~SharedLog() {
  if (descriptor_ >= 0) close(descriptor_);
}

SharedLog::Section::~Section() {
  if (descriptor_ >= 0) unlock(descriptor_);
}

Result<SharedLog> SharedLog::open(const std::string& path, const std::string& identity, uint64_t start_utc_ns,
                                  const Facts& facts, uint64_t job, bool replace) {
  SharedLog log;
  HEADRACE_ASSIGN(const std::vector<uint8_t> chunk, first_chunk(identity, start_utc_ns, facts, job));
  log.path_ = resolved(path);
  int created = -1;
  for (int attempt = 0; attempt < kCreateAttempts && created < 0; ++attempt) {
    if (log.descriptor_ >= 0) close(std::exchange(log.descriptor_, -1));
    log.descriptor_ = ::open(log.path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK);
    if (log.descriptor_ < 0 && errno != ENOENT) return failure(log.path_, "open the log");
    if (log.descriptor_ < 0) {
      HEADRACE_ASSIGN(created, log.begin(chunk, false));
      continue;
    }
    HEADRACE_ASSIGN(const Section section, log.enter());
    HEADRACE_ASSIGN(const Found found, log.look(identity));
    if (found == Found::kOurs) return log;
    if (found == Found::kGone) continue;  // replaced between the opening and the lock
    if (found == Found::kOther) {
      if (!replace) return Status(Code::kInvalid, path + ": is the log of another job");
      HEADRACE_TRY(log.keep_earlier());
      HEADRACE_ASSIGN(created, log.begin(chunk, true));
    }
    if (created >= 0) continue;
    if (!log.kept_.empty()) return log.refuse_to_replace();
    HEADRACE_TRY(log.begin_in_place(chunk));
    HEADRACE_TRY(log.take(chunk));
    return log;
  }
  if (created < 0)
    return Status(Code::kIo, path + ": other processes replace this log all the time; give each job a log of its own");
  if (log.descriptor_ >= 0) close(log.descriptor_);
  log.descriptor_ = created;
  HEADRACE_TRY(log.take(chunk));
  return log;
}

/// Whose log it is that was opened. Inside a section.
Result<SharedLog::Found> SharedLog::look(const std::string& identity) {
  struct stat opened, named;
  if (fstat(descriptor_, &opened) != 0) return failure(path_, "look at the log");
  if (!S_ISREG(opened.st_mode)) return Status(Code::kInvalid, path_ + ": is no regular file; give another name");
  if (stat(path_.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev) {
    return Found::kGone;
  }
  if (opened.st_size == 0) return Found::kEmpty;
  std::vector<uint8_t> bytes(std::min<size_t>(static_cast<size_t>(opened.st_size), kBeginning));
  const ssize_t got = pread(descriptor_, bytes.data(), bytes.size(), 0);
  if (got <= 0) return failure(path_, "read the log");
  bytes.resize(static_cast<size_t>(got));
  auto reader = format::Reader::open_memory(bytes, path_);
  if (!reader.ok() && reader.code() == Code::kForeign)
    return Status(Code::kInvalid, path_ + " exists and is no Headrace log; give another name, or remove it first");
  // A long command can make a first chunk that is longer.
  if (static_cast<uint64_t>(opened.st_size) > bytes.size() && (!reader.ok() || reader->jobs().empty()))
    reader = format::Reader::open(path_);
  if (!reader.ok() || reader->jobs().empty()) return Found::kOther;
  const uint64_t job = reader->jobs().front();
  if (fact(*reader, kIdentityFact, job) != identity) return Found::kOther;
  job_ = job;
  start_utc_ns_ = strtoull(fact(*reader, "start_utc_ns", job).c_str(), nullptr, 10);
  return Found::kOurs;
}

/// Gives the name to a new file with the first chunk and returns its descriptor. -1: somebody else was faster, or it
/// can only be done in place.
Result<int> SharedLog::begin(const std::vector<uint8_t>& first_chunk, bool replace) const {
  std::string temporary = path_.substr(0, path_.rfind('/') + 1) + ".headrace-XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_APPEND | O_CLOEXEC);
  bool named = false;
  if (descriptor >= 0) {
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
    const bool written = write_all(descriptor, first_chunk);
    const Status full = written ? Status() : failure(path_, "write the log");
    if (written)
      named = (replace ? rename(temporary.c_str(), path_.c_str()) : link(temporary.c_str(), path_.c_str())) == 0;
    const int why = errno;
    if (!named || !replace) unlink(temporary.c_str());
    if (named) return descriptor;
    close(descriptor);
    HEADRACE_TRY(Status(full));
    if (why == EEXIST) return -1;
  }
  if (replace) return -1;
  // A directory that takes no new files, or a file system without links: an empty file is filled under its lock.
  const int empty = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (empty < 0) return failure(path_, "open the log for writing", ": make its directory first");
  close(empty);
  return -1;
}

/// The log that is there gets another name, in the place of the one that had it. Where the directory takes no new
/// names, nothing can be kept. Inside a section.
Status SharedLog::keep_earlier() {
  const std::string kept = kept_name(path_);
  struct stat info;
  if (lstat(kept.c_str(), &info) == 0 && (!S_ISREG(info.st_mode) || info.st_size != 0)) {
    const auto reader = format::Reader::open(kept);
    if (!reader.ok() && reader.code() == Code::kForeign)
      return {Code::kInvalid, kept + ", where the earlier log would go, is no Headrace log; move it away"};
  }
  // The one that was kept before goes when this one is in its place. Without links there is a moment without a log.
  const std::string next = kept + ".new";
  const bool linked = link(path_.c_str(), next.c_str()) == 0 && rename(next.c_str(), kept.c_str()) == 0;
  unlink(next.c_str());
  if (linked || rename(path_.c_str(), kept.c_str()) == 0) kept_ = kept;
  return {};
}

/// No new file could take the place of the log that was kept: it must not be emptied, for it is what was kept.
Status SharedLog::refuse_to_replace() const {
  if (access(path_.c_str(), F_OK) != 0) (void)rename(kept_.c_str(), path_.c_str());
  return {Code::kIo, path_ + ": the earlier log there cannot be replaced; give another name, or remove it first"};
}

/// Inside a section of the file that is to become the log.
Status SharedLog::begin_in_place(const std::vector<uint8_t>& first_chunk) const {
  if (ftruncate(descriptor_, 0) == 0 && write_all(descriptor_, first_chunk)) return {};
  return failure(path_, "write the log");
}

Status SharedLog::take(const std::vector<uint8_t>& first_chunk) {
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open_memory(first_chunk, path_));
  created_ = true;
  job_ = reader.jobs().front();
  start_utc_ns_ = strtoull(fact(reader, "start_utc_ns", job_).c_str(), nullptr, 10);
  return {};
}

Result<SharedLog> SharedLog::join(const std::string& path) {
  SharedLog log;
  log.path_ = resolved(path);
  log.descriptor_ = ::open(log.path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK);
  if (log.descriptor_ < 0) return failure(log.path_, "open the log");
  HEADRACE_ASSIGN(const Section section, log.enter());
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open(log.path_));
  if (!reader.jobs().empty()) log.job_ = reader.jobs().back();
  log.start_utc_ns_ = strtoull(fact(reader, "start_utc_ns", log.job_).c_str(), nullptr, 10);
  return log;
}

Result<SharedLog::Section> SharedLog::enter() const { return enter(false); }

Result<SharedLog::Section> SharedLog::enter_by_name() const { return enter(true); }

Result<SharedLog::Section> SharedLog::enter(bool by_name) const {
  const Lock locked = lock_log(descriptor_);
  if (by_name && locked == Lock::kBusy) return Status(Code::kIo, path_ + ": another process does not let go of it");
  struct stat info, named;
  Section section(locked == Lock::kHeld ? descriptor_ : -1, 0);
  if (fstat(descriptor_, &info) != 0) return failure(path_, "look at the log");
  if (by_name && (stat(path_.c_str(), &named) != 0 || named.st_ino != info.st_ino || named.st_dev != info.st_dev))
    return Status(Code::kIo, path_ + ": is another file by now");
  section.end_ = static_cast<uint64_t>(info.st_size);
  return section;
}

Result<uint64_t> SharedLog::append(std::span<const uint8_t> chunks) {
  HEADRACE_ASSIGN(const Section section, enter());
  HEADRACE_ASSIGN(const std::unique_ptr<format::Sink> target, sink());
  return target->append(chunks);
}

Result<std::unique_ptr<format::Sink>> SharedLog::sink() const {
  const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return failure(path_, "open the log again");
  return format::FileSink::adopt(copy, path_);
}

}  // namespace headrace::capture
