#include "format/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace headrace::format {

using base::Code;
using base::Result;
using base::Status;

namespace {

Status os_failure(const std::string& label, const char* what, int error) {
  Code code = Code::kIo;
  const char* advice = "";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    code = Code::kNoSpace;
    advice = ": free some space, or write to another directory";
  } else if (error == ENOENT || error == ENOTDIR) {
    code = Code::kNotFound;
    advice = ": make the directory first";
  } else if (error == EEXIST) {
    code = Code::kInvalid;
    advice = ": remove it or choose another name";
  } else if (error == EACCES || error == EPERM || error == EROFS) {
    advice = ": choose a place you may write to";
  }
  return Status(code, label + ": cannot " + what + ": " + std::strerror(error) + advice);
}

}  // namespace

Result<std::unique_ptr<Sink>> FileSink::open(const std::string& path, Mode mode) {
  int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  if (mode == Mode::kCreate) flags |= O_EXCL;
  if (mode == Mode::kReplace) flags |= O_TRUNC;
  const int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor < 0) return os_failure(path, "open the file for writing", errno);
  return adopt(descriptor, path);
}

std::unique_ptr<Sink> FileSink::adopt(int descriptor, std::string label) {
  return std::unique_ptr<Sink>(new FileSink(descriptor, std::move(label)));
}

FileSink::FileSink(int descriptor, std::string label) : descriptor_(descriptor), label_(std::move(label)) {}

FileSink::~FileSink() { (void)close(); }

Result<uint64_t> FileSink::append(std::span<const uint8_t> chunk) {
  if (descriptor_ < 0) return Status(Code::kInvalid, label_ + ": is already closed");
  size_t done = 0;
  torn_bytes_ = 0;
  while (done < chunk.size()) {
    const ssize_t written = ::write(descriptor_, chunk.data() + done, chunk.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return os_failure(label_, "write", errno);
    if (written == 0) return Status(Code::kIo, label_ + ": the system takes no more bytes");
    done += static_cast<size_t>(written);
    if (done == chunk.size()) break;
    const off_t behind = ::lseek(descriptor_, 0, SEEK_CUR);
    torn_bytes_ = behind < written ? 0 : static_cast<uint64_t>(written);
    torn_at_ = static_cast<uint64_t>(behind) - torn_bytes_;
  }
  torn_bytes_ = 0;
  // After an O_APPEND write the descriptor stands behind what it wrote, whoever else appends to the file.
  const off_t end = ::lseek(descriptor_, 0, SEEK_CUR);
  if (end < 0) return os_failure(label_, "tell the position", errno);
  return static_cast<uint64_t>(end) - chunk.size();
}

bool FileSink::replace_torn(std::span<const uint8_t> chunk) {
  if (descriptor_ < 0 || chunk.size() > torn_bytes_) return false;
  // What is opened for appending always appends.
  const std::string again = "/proc/self/fd/" + std::to_string(descriptor_);
  const int descriptor = ::open(again.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const ssize_t written = ::pwrite(descriptor, chunk.data(), chunk.size(), static_cast<off_t>(torn_at_));
  torn_bytes_ = 0;
  return ::close(descriptor) == 0 && written == static_cast<ssize_t>(chunk.size());
}

uint64_t FileSink::next_offset(uint64_t ours) {
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  return end < 0 ? ours : static_cast<uint64_t>(end);
}

Status FileSink::close() {
  if (descriptor_ < 0) return {};
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR) return os_failure(label_, "close", errno);
  return {};
}

Result<uint64_t> MemorySink::append(std::span<const uint8_t> chunk) {
  const uint64_t offset = bytes_.size();
  bytes_.insert(bytes_.end(), chunk.begin(), chunk.end());
  return offset;
}

Result<uint64_t> NullSink::append(std::span<const uint8_t> chunk) {
  const uint64_t offset = size_;
  size_ += chunk.size();
  return offset;
}

}  // namespace headrace::format
