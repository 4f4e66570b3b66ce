#include "capture/harvest/log_output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/random.h"
#include "capture/harvest/copy_file.h"
#include "capture/harvest/trace_path.h"
#include "events/trace_files.h"
#include "format/reader.h"
#include "format/sink.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Result;
using base::Status;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Where a producer goes on in a log.
uint64_t next_sequence(const std::string& path, uint64_t job, uint64_t producer) {
  uint64_t next = 0;
  const auto reader = format::Reader::open(path);
  if (!reader.ok()) return next;
  for (const format::ChunkInfo& chunk : reader->chunks()) {
    if (chunk.header.job == job && chunk.header.producer.process == producer)
      next = std::max(next, chunk.header.sequence + 1);
  }
  return next;
}

}  // namespace

LogOutput::LogOutput(std::string path, std::vector<std::string> fallbacks, uint64_t producer)
    : wanted_path_(std::move(path)),
      fallbacks_(std::move(fallbacks)),
      producer_(producer != 0 ? producer : base::random_number()) {}

LogOutput LogOutput::append_to(std::string path, std::vector<std::string> fallbacks, uint64_t producer) {
  LogOutput output(std::move(path), std::move(fallbacks), producer);
  output.append_ = true;
  return output;
}

LogOutput LogOutput::continued() const {
  LogOutput output = append_to(open_path_, {}, producer_);
  output.permit(in_progress_, when_complete_);
  return output;
}

void LogOutput::complete() const {
  if (when_complete_ == 0 || open_path_.empty()) return;
  chmod(open_path_.c_str(), when_complete_);
  const std::string trace = trace_path(open_path_);
  chmod(trace.c_str(), when_complete_);
  const auto others = events::other_files(trace);
  if (!others.ok() || others->empty()) return;
  for (const std::string& other : *others) chmod(other.c_str(), when_complete_);
  chmod(events::trace_directory(trace).c_str(), when_complete_ | (when_complete_ & 0444) >> 2 | 0300);
}

const std::string& LogOutput::identity() {
  if (identity_.empty()) identity_ = identity_text(base::random_number());
  return identity_;
}

Status LogOutput::check_replaceable(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || (S_ISREG(info.st_mode) && info.st_size == 0)) return {};
  const Status refusal(Code::kInvalid,
                       path + " exists and is no Headrace log; give another name with -o, or remove it first");
  if (!S_ISREG(info.st_mode)) return refusal;
  const auto reader = format::Reader::open(path);
  // A log that is damaged or of a newer version is a log all the same.
  return reader.ok() || reader.code() != Code::kForeign ? Status() : refusal;
}

Status LogOutput::check_output(const std::string& path) {
  HEADRACE_TRY(check_replaceable(path));
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || info.st_size == 0) return {};
  const std::string kept = kept_name(path);
  if (check_replaceable(kept).ok()) return {};
  return {Code::kInvalid, kept + ", where the log " + path +
                              " would be kept, exists and is no Headrace log; give another name with -o, or move it"};
}

Status LogOutput::check_creatable(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const bool exists = access(path.c_str(), F_OK) == 0;
  if (access(exists ? path.c_str() : directory.c_str(), exists ? W_OK : W_OK | X_OK) == 0) return {};
  return {Code::kIo, path + ": the log cannot be written here: " + strerror(errno)};
}

Status LogOutput::open(const std::string& path, bool append) {
  if (identity_.empty()) identity_ = identity_text(base::random_number());
  const bool replace = !joins_ || path == wanted_path_;  // in another place only a log of the same job is welcome
  auto log = append ? SharedLog::join(path) : SharedLog::open(path, identity_, start_utc_ns_, {}, job_, replace);
  if (!log.ok()) return log.status();
  HEADRACE_ASSIGN(auto sink, log->sink());
  if (in_progress_ != 0) chmod(path.c_str(), in_progress_);
  format::WriterOptions options;
  options.job = job_ = log->job();
  options.producer.process = producer_;
  options.filter = filter_;
  if (!log->created()) options.first_sequence = next_sequence(path, job_, producer_);
  auto writer = format::Writer::open(std::move(sink), options);
  if (!writer.ok()) return writer.status();
  writer_.emplace(std::move(*writer));
  if (!log->kept().empty()) kept_ = log->kept();
  shared_.emplace(std::move(*log));
  open_path_ = path;
  return {};
}

Result<uint64_t> LogOutput::begin(uint64_t start_utc_ns) {
  start_utc_ns_ = start_utc_ns;
  Status status = open(wanted_path_, append_);
  if (!status.ok()) status = fall_back(status);
  if (!status.ok()) return status;
  return shared_->start_utc_ns();
}

Status LogOutput::write(LogTables& tables, bool last) {
  Status status;
  if (!writer_.has_value()) status = open(wanted_path_, append_);
  while (true) {
    if (status.ok() && writer_.has_value()) {
      const auto section = shared_->enter();
      status = section.ok() ? tables.flush(*writer_, last) : section.status();
    }
    if (status.ok()) return {};
    const Status moved = fall_back(status);
    if (!moved.ok()) return moved;
    status = {};
  }
}

/// Takes the log to the next directory that accepts what there is of it.
Status LogOutput::fall_back(const Status& why) {
  if (trouble_.empty()) trouble_ = why.message();
  // Somebody else's chunks are in it as well; ranks that reduced their figures may have begun it.
  const bool shared = joins_ || append_ || (shared_.has_value() && !shared_->created());
  const uint64_t good_bytes = writer_.has_value() && !shared ? writer_->end() : 0;
  writer_.reset();
  shared_.reset();
  for (; next_fallback_ < fallbacks_.size(); ++next_fallback_) {
    const std::string path = fallbacks_[next_fallback_] + "/" + base_name(wanted_path_);
    if (path == open_path_ || path == wanted_path_ || (!joins_ && access(path.c_str(), F_OK) == 0)) continue;
    const std::string former = open_path_;
    if (good_bytes != 0 && copy_file(former, path, good_bytes).ok() && open(path, true).ok()) {
      unlink(former.c_str());
      ++next_fallback_;
      return {};
    }
    if (!joins_) unlink(path.c_str());
    if (!open(path, false).ok()) continue;
    if (good_bytes != 0 || shared)  // also when it cannot even be opened again: it may be somebody's file by now
      earlier_part_ = former;
    else if (!former.empty())
      unlink(former.c_str());  // nothing of it was usable
    append_ = false;
    ++next_fallback_;
    return {};
  }
  return why;
}

Status LogOutput::close() {
  if (!writer_.has_value()) return {};
  Status status;
  {
    const auto section = shared_->enter();  // an index holds if nobody gets in between
    status = writer_->close();
  }
  writer_.reset();
  shared_.reset();
  wanted_path_ = open_path_;
  append_ = true;  // whatever comes now goes behind it
  return status;
}

}  // namespace headrace::capture
