#include "programs/finalize/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headrace::programs {

using base::Code;
using base::Status;

namespace {

Status failure(const std::string& path) {
  return {errno == ENOSPC || errno == EDQUOT ? Code::kNoSpace : Code::kIo, path + ": " + strerror(errno)};
}

}  // namespace

/// Makes the room at once: who waits for the lock in vain appends all the same, and must come behind it.
base::Result<uint64_t> SharedFile::begin(uint64_t bytes) {
  HEADRACE_ASSIGN(auto section, log_->enter_by_name());
  begin_ = section.end();
  end_ = begin_ + bytes;
  if (truncate(path_.c_str(), static_cast<off_t>(end_)) != 0) return failure(path_);
  section_.emplace(std::move(section));
  return begin_;
}

Status SharedFile::write(uint64_t offset, base::Bytes part) {
  const int descriptor = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return failure(path_);
  Status status;
  for (size_t done = 0; done < part.size() && status.ok();) {
    const ssize_t written =
        pwrite(descriptor, part.data() + done, part.size() - done, static_cast<off_t>(offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      status = failure(path_);
    else
      done += static_cast<size_t>(written);
  }
  if (close(descriptor) != 0 && status.ok()) status = failure(path_);
  return status;
}

Status SharedFile::end(bool whole) {
  Status status;
  struct stat info;
  // What somebody appended behind it stays; readers pass over the gap.
  const bool last = stat(path_.c_str(), &info) == 0 && static_cast<uint64_t>(info.st_size) == end_;
  if (!whole && last && truncate(path_.c_str(), static_cast<off_t>(begin_)) != 0) status = failure(path_);
  section_.reset();
  return status;
}

}  // namespace headrace::programs
