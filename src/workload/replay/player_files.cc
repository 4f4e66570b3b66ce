// The calls of the C library that a replay makes.
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
    return stream == nullptr ? -1 : 0;
  }
  if (step.action == Action::kOpenDirectory) return (directories_[step.slot] = opendir(name)) == nullptr ? -1 : 0;
  if (step.action == Action::kMpiOpen) {
    mpi_open_[step.slot] = mpi_.open(step.group, name, step.opening, &files_[step.slot]) == 0;
    return mpi_open_[step.slot] ? 0 : -1;
  }
  const char* function = job_.functions[step.function].done.function;
  int& descriptor = descriptors_[step.slot];
  if (strcmp(function, "creat") == 0 && step.opening.truncates)
    descriptor = creat(name, 0666);
  else if (strcmp(function, "openat") == 0)
    descriptor = openat(AT_FDCWD, name, flags_of(step.opening), 0666);
  else
    descriptor = ::open(name, flags_of(step.opening), 0666);
  return descriptor < 0 ? -1 : 0;
}

int64_t Player::on_name(const Step& step) {
  const char* name = path(step.path);
  struct stat info;
  struct statfs system;
  switch (step.action) {
    case Action::kResizeName:
      return truncate(name, static_cast<off_t>(step.offset));
    case Action::kLookName:
      return strcmp(job_.functions[step.function].done.function, "lstat") == 0 ? lstat(name, &info) : stat(name, &info);
    case Action::kAccess:
      return access(name, F_OK);
    case Action::kReadLink: {
      char target[4096];
      return readlink(name, target, sizeof target);
    }
    case Action::kSystemOf:
      return statfs(name, &system);
    case Action::kRemove:
      return strcmp(job_.functions[step.function].done.function, "remove") == 0 ? remove(name) : unlink(name);
    case Action::kRename:
      return rename(name, step.from < paths_.size() ? path(step.from) : name);
    case Action::kMakeDirectory:
      return mkdir(name, 0777);
    case Action::kRemoveDirectory:
      return rmdir(name);
    default:
      return 0;
  }
}

int64_t Player::on_descriptor(const Step& step) {
  const int file = descriptors_[step.action == Action::kDuplicate ? step.from : step.slot];
  const auto offset = static_cast<off_t>(step.offset);
  uint8_t* bytes = buffer_.data();
  const iovec vector = {bytes, step.bytes};
  struct stat info;
  struct statfs system;
  struct termios terminal;
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
    case Action::kLook:
      return fstat(file, &info);
    case Action::kControl:
      return ioctl(file, TCGETS, &terminal);
    case Action::kSystemOfOpen:
      return fstatfs(file, &system);
    default:
      return 0;
  }
}

int64_t Player::on_directory(const Step& step) {
  DIR* directory = directories_[step.slot];
  if (directory == nullptr) return errno = EBADF, -1;
  if (step.action == Action::kReadDirectory) return readdir(directory) == nullptr && errno != 0 ? -1 : 0;
  directories_[step.slot] = nullptr;
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
