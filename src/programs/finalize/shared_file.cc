#include "programs/finalize/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/room.h"

namespace headrace::programs {

using base::Code;
using base::Status;

namespace {

Status failure(const std::string& path) {
  return {errno == ENOSPC || errno == EDQUOT ? Code::kNoSpace : Code::kIo, path + ": " + strerror(errno)};
}

}  // namespace

/// Makes the room at once: who waits for the lock in vain appends all the same, and must come behind it. Until it is
/// opened readers pass over it, so a rank that writes late, when the others have given up, harms nobody.
base::Result<uint64_t> SharedFile::begin(uint64_t bytes) {
  HEADRACE_ASSIGN(auto section, log_->enter_by_name());
  begin_ = section.end();
  end_ = begin_ + format::kRoomMarkSize + bytes;
  if (truncate(path_.c_str(), static_cast<off_t>(end_ + format::kRoomMarkSize)) != 0) return failure(path_);
  section_.emplace(std::move(section));
  Status marked = write(begin_, format::room_mark(log_->job(), bytes));
  if (marked.ok()) marked = write(end_, format::room_mark(log_->job(), 0));
  if (marked.ok()) return begin_ + format::kRoomMarkSize;
  (void)end(capture::Stored::kNothing);
  return marked;
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

Status SharedFile::open_room() {
  HEADRACE_TRY(write(begin_, format::room_mark(log_->job(), 0)));
  // Only a short cut: without it readers go from chunk to chunk.
  uint8_t tail[format::kRoomMarkSize];
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t got = pread(descriptor, tail, sizeof tail, static_cast<off_t>(end_ - sizeof tail));
  close(descriptor);
  const auto behind = format::tail_behind(std::span(tail).first(got > 0 ? static_cast<size_t>(got) : 0));
  if (behind.ok()) (void)write(end_, *behind);
  return {};
}

Status SharedFile::end(capture::Stored what) {
  Status status;
  struct stat info;
  if (what == capture::Stored::kAll) status = open_room();
  // What somebody appended behind it stays.
  const bool last =
      stat(path_.c_str(), &info) == 0 && static_cast<uint64_t>(info.st_size) == end_ + format::kRoomMarkSize;
  if (what == capture::Stored::kNothing && last && truncate(path_.c_str(), static_cast<off_t>(begin_)) != 0)
    status = failure(path_);
  section_.reset();
  return status;
}

}  // namespace headrace::programs
