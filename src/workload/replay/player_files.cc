// The calls of the C library that a replay makes on what is open.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "workload/replay/player.h"

namespace headrace::workload::replay {
namespace {

int flags_of(const Opening& opening) {
  int flags = opening.writes ? (opening.reads ? O_RDWR : O_WRONLY) : O_RDONLY;
  if (opening.creates) flags |= O_CREAT;
  if (opening.exclusive) flags |= O_EXCL;
  if (opening.truncates) flags |= O_TRUNC;
  if (opening.appends) flags |= O_APPEND;
  if (opening.synchronous) flags |= O_SYNC;
  return flags;
}

const char* mode_of(const Opening& opening) {
  if (!opening.writes) return "r";
  if (opening.appends) return opening.reads ? "a+" : "a";
  if (opening.truncates) return opening.reads ? "w+" : "w";
  return "r+";
}

}  // namespace

int64_t Player::open(const Step& step) {
  const char* name = path(step.path);
  if (step.action == Action::kStreamOpen) {
    FILE* stream = fopen(name, mode_of(step.opening));
    // A file to write that nobody knows to have been emptied, and that is not there yet.
    if (stream == nullptr && errno == ENOENT && step.opening.creates)
      stream = fopen(name, step.opening.reads ? "w+" : "w");
    streams_[step.slot] = stream;
    if (stream != nullptr) descriptors_[step.slot] = fileno(stream);
    return stream == nullptr ? -1 : 0;
  }
  if (step.action == Action::kOpenDirectory) {
    DIR* directory = directories_[step.slot] = opendir(name);
    if (directory != nullptr) descriptors_[step.slot] = dirfd(directory);
    return directory == nullptr ? -1 : 0;
  }
  if (step.action == Action::kMpiOpen) {
    mpi_open_[step.slot] = mpi_.open(step.group, name, step.opening, &files_[step.slot]) == 0;
    return mpi_open_[step.slot] ? 0 : -1;
  }
  return (descriptors_[step.slot] = open_descriptor(step)) < 0 ? -1 : 0;
}

int Player::open_descriptor(const Step& step) {
  const char* name = path(step.path);
  const char* function = job_.functions[step.function].done.function;
  if (strcmp(function, "creat") == 0 && step.opening.truncates) return creat(name, 0666);
  if (strcmp(function, "openat") == 0) return openat(AT_FDCWD, name, flags_of(step.opening), 0666);
  if (!step.extra) return ::open(name, flags_of(step.opening), 0666);
  const int flags = flags_of(step.opening) & ~O_CREAT;
  const int found = ::open(name, flags);
  if (found >= 0) return found;
  if (errno == EISDIR) return ::open(name, O_RDONLY);
  if (errno != ENOENT) return -1;
  return step.opening.nameless ? open_nameless() : ::open(name, flags | O_CREAT, 0666);
}

/// Stands for a file whose name was taken away while it was open.
int Player::open_nameless() {
  std::string name = settings_.root + "/nameless-XXXXXX";
  const int file = mkstemp(name.data());
  if (file >= 0) unlink(name.c_str());
  return file;
}

int64_t Player::make_stream(const Step& step) {
  const int file = descriptors_[step.from];
  if (file < 0) return errno = EBADF, -1;
  if (step.action == Action::kDirectoryOn) {
    directories_[step.slot] = fdopendir(file);
  } else {
    // What it empties or makes was done by the opening.
    const Opening& opening = step.opening;
    streams_[step.slot] = fdopen(file, !opening.writes   ? "r"
                                       : opening.reads   ? (opening.appends ? "a+" : "r+")
                                       : opening.appends ? "a"
                                                         : "w");
  }
  if (streams_[step.slot] == nullptr && directories_[step.slot] == nullptr) return -1;
  descriptors_[step.slot] = file;
  descriptors_[step.from] = -1;  // it belongs to the stream
  return 0;
}

int64_t Player::on_descriptor(const Step& step) {
  const int file = descriptors_[step.action == Action::kDuplicate ? step.from : step.slot];
  const auto offset = static_cast<off_t>(step.offset);
  uint8_t* bytes = buffer_.data();
  const iovec vector = {bytes, step.bytes};
  struct stat info;
  struct statfs system;
  struct termios terminal;
  char text[4096];
  switch (step.action) {
    case Action::kClose:
      descriptors_[step.slot] = -1;
      return close(file);
    case Action::kDuplicate:
      return (descriptors_[step.slot] = dup(file)) < 0 ? -1 : 0;
    case Action::kRead:
      return read(file, bytes, step.bytes);
    case Action::kReadVector:
      return readv(file, &vector, 1);
    case Action::kReadAt:
      return pread(file, bytes, step.bytes, offset);
    case Action::kReadVectorAt:
      return preadv(file, &vector, 1, offset);
    case Action::kWrite:
      return write(file, bytes, step.bytes);
    case Action::kWriteVector:
      return writev(file, &vector, 1);
    case Action::kWriteAt:
      return pwrite(file, bytes, step.bytes, offset);
    case Action::kWriteVectorAt:
      return pwritev(file, &vector, 1, offset);
    case Action::kSeek:
      return lseek(file, offset, SEEK_SET) < 0 ? -1 : 0;
    case Action::kResize:
      return ftruncate(file, offset);
    case Action::kSync:
      return fsync(file);
    case Action::kSyncData:
      return fdatasync(file);
    case Action::kSyncRange:
      return sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
    case Action::kSyncSystem:
      return syncfs(file);
    case Action::kAdvise:
      errno = posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL);
      return errno == 0 ? 0 : -1;
    case Action::kLook:
      return fstat(file, &info);
    case Action::kLimitOfOpen:
      return fpathconf(file, _PC_NAME_MAX) < 0 ? -1 : 0;
    case Action::kAskFlags:
      return fcntl(file, F_GETFD) < 0 ? -1 : 0;
    case Action::kReadEntries:
      return getdents64(file, text, sizeof text) < 0 ? -1 : 0;
    case Action::kControl:
      return ioctl(file, TCGETS, &terminal);
    case Action::kSystemOfOpen:
      return fstatfs(file, &system);
    default:
      return on_attributes_open(step, file);
  }
}

int64_t Player::on_directory(const Step& step) {
  DIR* directory = directories_[step.slot];
  if (directory == nullptr) return errno = EBADF, -1;
  if (step.action == Action::kReadDirectory) return readdir(directory) == nullptr && errno != 0 ? -1 : 0;
  if (step.action == Action::kRewindDirectory) return rewinddir(directory), 0;
  if (step.action == Action::kSeekDirectory) return seekdir(directory, telldir(directory)), 0;
  directories_[step.slot] = nullptr;
  descriptors_[step.slot] = -1;
  return closedir(directory);
}

int64_t Player::on_stream(const Step& step) {
  FILE* stream = streams_[step.slot];
  const char* function = job_.functions[step.function].done.function;
  const auto offset = static_cast<off_t>(step.offset);
  if (stream == nullptr) return errno = EBADF, -1;
  switch (step.action) {
    case Action::kStreamClose:
      streams_[step.slot] = nullptr;
      descriptors_[step.slot] = -1;
      return fclose(stream) == 0 ? 0 : -1;
    case Action::kStreamRead: {
      const size_t got = fread(buffer_.data(), 1, step.bytes, stream);
      return got == 0 && ferror(stream) != 0 ? -1 : static_cast<int64_t>(got);
    }
    case Action::kStreamWrite: {
      const size_t wrote = fwrite(buffer_.data(), 1, step.bytes, stream);
      return wrote == 0 && step.bytes > 0 ? -1 : static_cast<int64_t>(wrote);
    }
    case Action::kStreamSeek:
      return (strcmp(function, "fseek") == 0 ? fseek(stream, static_cast<long>(offset), SEEK_SET)
                                             : fseeko(stream, offset, SEEK_SET)) == 0
                 ? 0
                 : -1;
    case Action::kStreamRewind:
      rewind(stream);
      return 0;
    case Action::kStreamTell:
      return (strcmp(function, "ftell") == 0 ? ftell(stream) : ftello(stream)) < 0 ? -1 : 0;
    case Action::kStreamFlush:
      return fflush(stream) == 0 ? 0 : -1;
    default:
      return 0;
  }
}

}  // namespace headrace::workload::replay
