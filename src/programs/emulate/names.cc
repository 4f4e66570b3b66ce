// The calls that open files, and those that ask the metadata service for something.
#include <errno.h>

#include "programs/emulate/files.h"
#include "programs/emulate/model.h"
#include "programs/emulate/real.h"

namespace headrace::emulate {
namespace {

/// A call about a name. Where it fails because of what the service said, that took as long.
template <typename Call>
auto ask(Counted what, int directory, const char* path, Call call) {
  const Place place = is_on() ? place_of(directory, path) : Place{};
  if (!place.slow) return call();
  const Delay delay(Kind::kNames);
  const auto result = call();
  wait_for_metadata(delay, what, place.directory);
  return result;
}

template <typename Call>
int ask_about(Counted what, int fd, Call call) {
  const File file = is_on() && costs(what) ? file_of(fd) : File{};
  if (!file.slow) return call();
  const uint64_t directory = place_of(fd).directory;
  const Delay delay(Kind::kNames);
  const int result = call();
  wait_for_metadata(delay, what, directory);
  return result;
}

/// Makes the file, if it is not there yet; -1 with errno as it was: that is for the call itself to find out. Of several
/// that come at once one alone makes it.
int make(int directory, const char* path, int flags, mode_t mode) {
  if ((flags & (O_CREAT | O_TMPFILE)) != O_CREAT || !place_of(directory, path).slow) return -1;
  const int error = errno;
  const int fd = REAL(openat64)(directory, path, flags | O_EXCL, mode);
  if (fd < 0) errno = error;
  return fd;
}

/// What is opened is looked at itself: links may lead to it.
template <typename Call>
int open_file(int directory, const char* path, int flags, mode_t mode, Call call) {
  if (!is_on() || path == nullptr || (flags & O_PATH) != 0) return call();
  const Delay delay(Kind::kNames);
  const int made = make(directory, path, flags, mode), fd = made >= 0 ? made : call();
  const bool fails = fd < 0 && (errno == ENOENT || errno == EEXIST || errno == EACCES);
  if (fd < 0 && !fails) return fd;
  const bool other = fd >= 0 && !file_of(fd).slow && (flags & O_DIRECTORY) == 0;
  const Place place = other ? Place{} : fd < 0 ? place_of(directory, path) : place_of(fd);
  if (place.slow) wait_for_metadata(delay, made >= 0 ? Counted::kCreate : Counted::kOpen, place.directory);
  return fd;
}

mode_t mode_of(int flags, va_list& values) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(values, mode_t) : 0;
}

}  // namespace
}  // namespace headrace::emulate

using headrace::emulate::ask;
using headrace::emulate::ask_about;
using headrace::emulate::Counted;
using headrace::emulate::mode_of;
using headrace::emulate::open_file;

#define EXPORT extern "C" __attribute__((visibility("default")))

#define OPEN(name)                                                                                \
  EXPORT int name(const char* path, int flags, ...) {                                             \
    va_list values;                                                                               \
    va_start(values, flags);                                                                      \
    const mode_t mode = mode_of(flags, values);                                                   \
    va_end(values);                                                                               \
    return open_file(AT_FDCWD, path, flags, mode, [&] { return REAL(name)(path, flags, mode); }); \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                                                          \
  EXPORT int name(int directory, const char* path, int flags, ...) {                                          \
    va_list values;                                                                                           \
    va_start(values, flags);                                                                                  \
    const mode_t mode = mode_of(flags, values);                                                               \
    va_end(values);                                                                                           \
    return open_file(directory, path, flags, mode, [&] { return REAL(name)(directory, path, flags, mode); }); \
  }
OPENAT(openat)
OPENAT(openat64)
#define CREAT(name)                                                                                               \
  EXPORT int name(const char* path, mode_t mode) {                                                                \
    return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, [&] { return REAL(name)(path, mode); }); \
  }
CREAT(creat)
CREAT(creat64)
#define OPEN_2(name)                                                                     \
  EXPORT int name(const char* path, int flags) {                                         \
    return open_file(AT_FDCWD, path, flags, 0, [&] { return REAL(name)(path, flags); }); \
  }
OPEN_2(__open_2)
OPEN_2(__open64_2)
#define OPENAT_2(name)                                                                               \
  EXPORT int name(int directory, const char* path, int flags) {                                      \
    return open_file(directory, path, flags, 0, [&] { return REAL(name)(directory, path, flags); }); \
  }
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

EXPORT int close(int fd) {
  return ask_about(Counted::kClose, fd, [&] { return REAL(close)(fd); });
}
EXPORT DIR* opendir(const char* path) {
  return ask(Counted::kOpen, AT_FDCWD, path, [&] { return REAL(opendir)(path); });
}

#define ABOUT_NAME(what, name, params, args)                                    \
  EXPORT int name params {                                                      \
    return ask(Counted::what, AT_FDCWD, path, [&] { return REAL(name) args; }); \
  }
#define ABOUT_NAME_IN(what, name, params, args)                                  \
  EXPORT int name params {                                                       \
    return ask(Counted::what, directory, path, [&] { return REAL(name) args; }); \
  }
#define ABOUT_FILE(what, name, params, args)                              \
  EXPORT int name params {                                                \
    return ask_about(Counted::what, fd, [&] { return REAL(name) args; }); \
  }

ABOUT_NAME(kStat, stat, (const char* path, struct stat* info), (path, info))
ABOUT_NAME(kStat, stat64, (const char* path, struct stat64* info), (path, info))
ABOUT_NAME(kStat, lstat, (const char* path, struct stat* info), (path, info))
ABOUT_NAME(kStat, lstat64, (const char* path, struct stat64* info), (path, info))
ABOUT_FILE(kStat, fstat, (int fd, struct stat* info), (fd, info))
ABOUT_FILE(kStat, fstat64, (int fd, struct stat64* info), (fd, info))
ABOUT_NAME_IN(kStat, fstatat, (int directory, const char* path, struct stat* info, int flags),
              (directory, path, info, flags))
ABOUT_NAME_IN(kStat, fstatat64, (int directory, const char* path, struct stat64* info, int flags),
              (directory, path, info, flags))
ABOUT_NAME_IN(kStat, statx, (int directory, const char* path, int flags, unsigned mask, struct statx* info),
              (directory, path, flags, mask, info))
ABOUT_NAME(kStat, __xstat, (int version, const char* path, struct stat* info), (version, path, info))
ABOUT_NAME(kStat, __xstat64, (int version, const char* path, struct stat64* info), (version, path, info))
ABOUT_NAME(kStat, __lxstat, (int version, const char* path, struct stat* info), (version, path, info))
ABOUT_NAME(kStat, __lxstat64, (int version, const char* path, struct stat64* info), (version, path, info))
ABOUT_FILE(kStat, __fxstat, (int version, int fd, struct stat* info), (version, fd, info))
ABOUT_FILE(kStat, __fxstat64, (int version, int fd, struct stat64* info), (version, fd, info))
ABOUT_NAME_IN(kStat, __fxstatat, (int version, int directory, const char* path, struct stat* info, int flags),
              (version, directory, path, info, flags))
ABOUT_NAME_IN(kStat, __fxstatat64, (int version, int directory, const char* path, struct stat64* info, int flags),
              (version, directory, path, info, flags))
ABOUT_NAME(kStat, access, (const char* path, int mode), (path, mode))
ABOUT_NAME_IN(kStat, faccessat, (int directory, const char* path, int mode, int flags), (directory, path, mode, flags))
ABOUT_NAME(kUnlink, unlink, (const char* path), (path))
ABOUT_NAME(kUnlink, remove, (const char* path), (path))
ABOUT_NAME(kRename, rename, (const char* path, const char* to), (path, to))
ABOUT_NAME_IN(kRename, renameat, (int directory, const char* path, int to_directory, const char* to),
              (directory, path, to_directory, to))
ABOUT_NAME_IN(kRename, renameat2, (int directory, const char* path, int to_directory, const char* to, unsigned flags),
              (directory, path, to_directory, to, flags))
ABOUT_NAME(kMkdir, mkdir, (const char* path, mode_t mode), (path, mode))
ABOUT_NAME_IN(kMkdir, mkdirat, (int directory, const char* path, mode_t mode), (directory, path, mode))
ABOUT_NAME(kRmdir, rmdir, (const char* path), (path))
EXPORT int unlinkat(int directory, const char* path, int flags) {
  const Counted what = (flags & AT_REMOVEDIR) != 0 ? Counted::kRmdir : Counted::kUnlink;
  return ask(what, directory, path, [&] { return REAL(unlinkat)(directory, path, flags); });
}
