#include "capture/harvest/log_output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/harvest/copy_file.h"
#include "format/reader.h"
#include "format/sink.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Status;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

LogOutput::LogOutput(std::string path, std::vector<std::string> fallbacks)
    : wanted_path_(std::move(path)), fallbacks_(std::move(fallbacks)) {}

LogOutput LogOutput::append_to(std::string path, std::vector<std::string> fallbacks) {
  LogOutput output(std::move(path), std::move(fallbacks));
  output.append_ = true;
  return output;
}

LogOutput LogOutput::continued() const {
  LogOutput output = append_to(open_path_, {});
  output.permit(in_progress_, when_complete_);
  return output;
}

void LogOutput::complete() const {
  if (when_complete_ != 0 && !open_path_.empty()) chmod(open_path_.c_str(), when_complete_);
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

Status LogOutput::check_creatable(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const bool exists = access(path.c_str(), F_OK) == 0;
  if (access(exists ? path.c_str() : directory.c_str(), exists ? W_OK : W_OK | X_OK) == 0) return {};
  return {Code::kIo, path + ": the log cannot be written here: " + strerror(errno)};
}

Status LogOutput::open(const std::string& path, bool append) {
  format::WriterOptions options;
  options.job = job_;
  options.filter = filter_;
  if (append) {
    auto writer = format::Writer::append(path, options);
    if (!writer.ok()) return writer.status();
    writer_.emplace(std::move(*writer));
  } else {
    auto sink = format::FileSink::open(path, format::FileSink::Mode::kReplace);
    if (!sink.ok()) return sink.status();
    if (in_progress_ != 0) chmod(path.c_str(), in_progress_);
    auto writer = format::Writer::open(std::move(*sink), options);
    if (!writer.ok()) return writer.status();
    writer_.emplace(std::move(*writer));
  }
  job_ = writer_->job();
  open_path_ = path;
  return {};
}

Status LogOutput::write(LogTables& tables, bool last) {
  Status status;
  if (!writer_.has_value()) status = open(wanted_path_, append_);
  while (true) {
    if (status.ok() && writer_.has_value()) status = tables.flush(*writer_, last);
    if (status.ok()) return {};
    const Status moved = fall_back(status, append_);
    if (!moved.ok()) return moved;
    status = {};
  }
}

/// Takes the log to the next directory that accepts what there is of it.
Status LogOutput::fall_back(const Status& why, bool) {
  if (trouble_.empty()) trouble_ = why.message();
  const uint64_t good_bytes = writer_.has_value() && !append_ ? writer_->bytes() : 0;
  const bool keep_part = writer_.has_value() && append_;  // somebody else's chunks are in it as well
  writer_.reset();
  for (; next_fallback_ < fallbacks_.size(); ++next_fallback_) {
    const std::string path = fallbacks_[next_fallback_] + "/" + base_name(wanted_path_);
    if (path == open_path_ || path == wanted_path_ || access(path.c_str(), F_OK) == 0) continue;
    if (good_bytes != 0 && copy_file(open_path_, path, good_bytes).ok()) {
      const std::string former = open_path_;
      if (open(path, true).ok()) {
        unlink(former.c_str());
        ++next_fallback_;
        return {};
      }
    }
    unlink(path.c_str());
    const std::string former = open_path_;
    if (!open(path, false).ok()) continue;
    if (good_bytes != 0 || keep_part)
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
  Status status = writer_->close();
  writer_.reset();
  wanted_path_ = open_path_;
  append_ = true;  // whatever comes now goes behind it
  return status;
}

}  // namespace headrace::capture
