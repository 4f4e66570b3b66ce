// The layer below the recorder that sends calls on forwarded paths and descriptors to forwarding servers. Without
// --forward, and in static programs, it is one test of a variable that never changes, in calls that it knows.
//
// Children of vfork work with their parent's memory: their closes and duplicates are the kernel's alone.
#pragma once
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/recorder/update.h"
#include "forward/program/calls.h"
#include "intercept/functions_headers.h"

namespace headrace::preload {

// forward_streams.cc
/// Before main, and whenever another file may be behind standard descriptor `fd`, 0 to 2.
void remember_standard_streams();
void standard_descriptor_changed(int fd);
/// The stream that a program means which had this one from before its descriptor was redirected.
FILE* current_stream(FILE* stream);
/// Before a stream is closed.
void forget_stream(FILE* stream);

/// Null: nothing is forwarded. Set before main.
extern const forward::program::Calls* forwarding __attribute__((visibility("hidden")));
/// Loads what forwards, if the launcher says so. `setup` is the value of its variable, or null.
void start_forwarding(const char* setup);

inline bool forwards() { return HEADRACE_UNLIKELY(forwarding != nullptr); }
inline bool is_forwarded(int fd) {
  return forwards() && static_cast<unsigned>(fd) < forwarding->table.most && forwarding->table.files[fd] != nullptr;
}
inline bool is_forwarded_here(int fd) { return is_forwarded(fd) && !capture::in_vfork_child(); }

/// Every call on a stream with the one that is in its place now.
template <class Next>
struct SwappedStreams : Next {
#define FUNCTION(id, ret, params, args, module, doc)            \
  template <typename... A>                                      \
  static inline __attribute__((always_inline)) ret id(A... a) { \
    return Next::id(actual(a)...);                              \
  }
#define SPECIAL(id, ret, params, args, module, doc) FUNCTION(id, ret, params, args, module, doc)
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS

 private:
  template <typename T>
  static HEADRACE_INLINE T actual(T value) {
    return value;
  }
  static HEADRACE_INLINE FILE* actual(FILE* stream) { return forwards() ? current_stream(stream) : stream; }
};

template <class Next>
struct ForwardHooks : Next {
#define BY_PATH(ret, call)                            \
  if (forwards()) {                                   \
    ret result;                                       \
    if (forwarding->call) return result;              \
    path = forwarding->elsewhere(directory, path, 0); \
  }
#define BY_PATHS(call)                                     \
  if (forwards()) {                                        \
    int result;                                            \
    if (forwarding->call) return result;                   \
    from = forwarding->elsewhere(from_directory, from, 0); \
    to = forwarding->elsewhere(to_directory, to, 1);       \
  }
  // Of calls that have no parameters of these names.
  static constexpr int directory = AT_FDCWD, from_directory = AT_FDCWD, to_directory = AT_FDCWD;

  // ---- opening
  static int open(const char* path, int flags, mode_t mode) {
    if (forwards()) {
      int result;
      if (forwarding->open(AT_FDCWD, path, flags, mode, &result)) return changed(result);
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::open(path, flags, mode);
  }
  static int openat(int directory, const char* path, int flags, mode_t mode) {
    BY_PATH(int, open(directory, path, flags, mode, &result))
    return Next::openat(directory, path, flags, mode);
  }
  static int __open_2(const char* path, int flags) {
    BY_PATH(int, open(AT_FDCWD, path, flags, 0, &result))
    return Next::__open_2(path, flags);
  }
  static int __openat_2(int directory, const char* path, int flags) {
    BY_PATH(int, open(directory, path, flags, 0, &result))
    return Next::__openat_2(directory, path, flags);
  }
  static int creat(const char* path, mode_t mode) {
    BY_PATH(int, open(AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, mode, &result))
    return Next::creat(path, mode);
  }

#define BY_PATTERN(call)                 \
  if (forwards()) {                      \
    int result;                          \
    if (forwarding->call) return result; \
  }
  static int mkstemp(char* pattern) {
    BY_PATTERN(temporary(pattern, 0, 0, &result))
    return Next::mkstemp(pattern);
  }
  static int mkostemp(char* pattern, int flags) {
    BY_PATTERN(temporary(pattern, 0, flags, &result))
    return Next::mkostemp(pattern, flags);
  }
  static int mkstemps(char* pattern, int suffix) {
    BY_PATTERN(temporary(pattern, suffix, 0, &result))
    return Next::mkstemps(pattern, suffix);
  }
  static int mkostemps(char* pattern, int suffix, int flags) {
    BY_PATTERN(temporary(pattern, suffix, flags, &result))
    return Next::mkostemps(pattern, suffix, flags);
  }
  static char* mkdtemp(char* pattern) {
    int result;
    if (forwards() && forwarding->temporary(pattern, 0, -1, &result)) return result < 0 ? nullptr : pattern;
    return Next::mkdtemp(pattern);
  }

  // ---- streams
  static FILE* fopen(const char* path, const char* mode) {
    BY_PATH(FILE*, fopen(path, mode, &result))
    return Next::fopen(path, mode);
  }
  static FILE* fdopen(int fd, const char* mode) {
    if (is_forwarded(fd)) return forwarding->stream(fd, mode);
    return Next::fdopen(fd, mode);
  }
  static int fclose(FILE* stream) {
    if (!forwards()) return Next::fclose(stream);
    FILE* const meant = current_stream(stream);
    forget_stream(meant);
    const int result = Next::fclose(meant);
    for (int fd = 0; fd < 3; ++fd) standard_descriptor_changed(fd);
    return result;
  }
  /// A stream cannot become one of another kind, but the standard ones can be put in place of each other.
  static FILE* freopen(const char* path, const char* mode, FILE* stream) {
    if (!forwards()) return Next::freopen(path, mode, stream);
    const int fd = fileno_unlocked(stream);
    if (!is_forwarded(fd) && (!path || !forwarding->is_forwarded(AT_FDCWD, path)))
      return Next::freopen(path, mode, stream);
    if (!path || fd < 0 || fd > 2) return errno = ENOTSUP, nullptr;
    FILE* made = fopen(path, mode);
    if (!made) return nullptr;
    Next::fflush(stream);
    const bool placed = dup2(fileno_unlocked(made), fd) == fd;
    fclose(made);
    return placed ? stream : nullptr;
  }
  static int vdprintf(int fd, const char* format, va_list values) {
    return is_forwarded(fd) ? print(fd, format, values) : Next::vdprintf(fd, format, values);
  }
  static int __vdprintf_chk(int fd, int flag, const char* format, va_list values) {
    return is_forwarded(fd) ? print(fd, format, values) : Next::__vdprintf_chk(fd, flag, format, values);
  }

  // ---- by path
  static int stat(const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, 0, into, &result))
    return Next::stat(path, into);
  }
  static int lstat(const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, into, &result))
    return Next::lstat(path, into);
  }
  static int fstatat(int directory, const char* path, struct stat* into, int flags) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fstat(directory, into);
    BY_PATH(int, stat(directory, path, flags, into, &result))
    return Next::fstatat(directory, path, into, flags);
  }
  static int __xstat(int version, const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, 0, into, &result))
    return Next::__xstat(version, path, into);
  }
  static int __lxstat(int version, const char* path, struct stat* into) {
    BY_PATH(int, stat(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, into, &result))
    return Next::__lxstat(version, path, into);
  }
  static int __fxstatat(int version, int directory, const char* path, struct stat* into, int flags) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fstat(directory, into);
    BY_PATH(int, stat(directory, path, flags, into, &result))
    return Next::__fxstatat(version, directory, path, into, flags);
  }
  static int statx(int directory, const char* path, int flags, unsigned mask, struct statx* into) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fstatx(directory, into);
    BY_PATH(int, statx(directory, path, flags, into, &result))
    return Next::statx(directory, path, flags, mask, into);
  }
  static int access(const char* path, int mode) {
    BY_PATH(int, access(AT_FDCWD, path, mode, 0, &result))
    return Next::access(path, mode);
  }
  static int faccessat(int directory, const char* path, int mode, int flags) {
    BY_PATH(int, access(directory, path, mode, flags, &result))
    return Next::faccessat(directory, path, mode, flags);
  }
  static int eaccess(const char* path, int mode) {
    BY_PATH(int, access(AT_FDCWD, path, mode, AT_EACCESS, &result))
    return Next::eaccess(path, mode);
  }
  static ssize_t readlink(const char* path, char* buffer, size_t size) {
    BY_PATH(ssize_t, readlink(AT_FDCWD, path, buffer, size, &result))
    return Next::readlink(path, buffer, size);
  }
  static ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t capacity) {
    BY_PATH(ssize_t, readlink(AT_FDCWD, path, buffer, size, &result))
    return Next::__readlink_chk(path, buffer, size, capacity);
  }
  static ssize_t readlinkat(int directory, const char* path, char* buffer, size_t size) {
    BY_PATH(ssize_t, readlink(directory, path, buffer, size, &result))
    return Next::readlinkat(directory, path, buffer, size);
  }
  static ssize_t __readlinkat_chk(int directory, const char* path, char* buffer, size_t size, size_t capacity) {
    BY_PATH(ssize_t, readlink(directory, path, buffer, size, &result))
    return Next::__readlinkat_chk(directory, path, buffer, size, capacity);
  }
  static int truncate(const char* path, off_t size) {
    BY_PATH(int, truncate(path, size, &result))
    return Next::truncate(path, size);
  }
  static int unlink(const char* path) {
    BY_PATH(int, unlink(AT_FDCWD, path, 0, &result))
    return Next::unlink(path);
  }
  static int unlinkat(int directory, const char* path, int flags) {
    BY_PATH(int, unlink(directory, path, flags, &result))
    return Next::unlinkat(directory, path, flags);
  }
  static int rmdir(const char* path) {
    BY_PATH(int, unlink(AT_FDCWD, path, AT_REMOVEDIR, &result))
    return Next::rmdir(path);
  }
  static int remove(const char* path) {
    BY_PATH(int, remove(path, &result))
    return Next::remove(path);
  }
  static int rename(const char* from, const char* to) {
    BY_PATHS(rename(AT_FDCWD, from, AT_FDCWD, to, 0, &result))
    return Next::rename(from, to);
  }
  static int renameat(int from_directory, const char* from, int to_directory, const char* to) {
    BY_PATHS(rename(from_directory, from, to_directory, to, 0, &result))
    return Next::renameat(from_directory, from, to_directory, to);
  }
  static int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
    BY_PATHS(rename(from_directory, from, to_directory, to, flags, &result))
    return Next::renameat2(from_directory, from, to_directory, to, flags);
  }
  static int link(const char* from, const char* to) {
    BY_PATHS(link(AT_FDCWD, from, AT_FDCWD, to, 0, &result))
    return Next::link(from, to);
  }
  static int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) {
    BY_PATHS(link(from_directory, from, to_directory, to, flags, &result))
    return Next::linkat(from_directory, from, to_directory, to, flags);
  }
  static int symlink(const char* target, const char* path) {
    BY_PATH(int, symlink(target, AT_FDCWD, path, &result))
    return Next::symlink(target, path);
  }
  static int symlinkat(const char* target, int directory, const char* path) {
    BY_PATH(int, symlink(target, directory, path, &result))
    return Next::symlinkat(target, directory, path);
  }
  static int mkdir(const char* path, mode_t mode) {
    BY_PATH(int, mkdir(AT_FDCWD, path, mode, &result))
    return Next::mkdir(path, mode);
  }
  static int mkdirat(int directory, const char* path, mode_t mode) {
    BY_PATH(int, mkdir(directory, path, mode, &result))
    return Next::mkdirat(directory, path, mode);
  }
  static int chmod(const char* path, mode_t mode) {
    BY_PATH(int, chmod(AT_FDCWD, path, mode, 0, &result))
    return Next::chmod(path, mode);
  }
  static int fchmodat(int directory, const char* path, mode_t mode, int flags) {
    BY_PATH(int, chmod(directory, path, mode, flags, &result))
    return Next::fchmodat(directory, path, mode, flags);
  }
  static int chown(const char* path, uid_t user, gid_t group) {
    BY_PATH(int, chown(AT_FDCWD, path, user, group, 0, &result))
    return Next::chown(path, user, group);
  }
  static int lchown(const char* path, uid_t user, gid_t group) {
    BY_PATH(int, chown(AT_FDCWD, path, user, group, AT_SYMLINK_NOFOLLOW, &result))
    return Next::lchown(path, user, group);
  }
  static int fchownat(int directory, const char* path, uid_t user, gid_t group, int flags) {
    if (is_empty_path(path, flags) && is_forwarded(directory)) return forwarding->fchown(directory, user, group);
    BY_PATH(int, chown(directory, path, user, group, flags, &result))
    return Next::fchownat(directory, path, user, group, flags);
  }
  static int utime(const char* path, const struct utimbuf* times) {
    if (forwards()) {
      int result;
      const timespec values[] = {{times ? times->actime : 0, 0}, {times ? times->modtime : 0, 0}};
      if (forwarding->utimens(AT_FDCWD, path, times ? values : nullptr, 0, &result)) return result;
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::utime(path, times);
  }
  static int utimes(const char* path, const struct timeval* times) {
    if (forwards()) {
      int result;
      const Times values(times);
      if (forwarding->utimens(AT_FDCWD, path, values.get(), 0, &result)) return result;
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::utimes(path, times);
  }
  static int lutimes(const char* path, const struct timeval* times) {
    if (forwards()) {
      int result;
      const Times values(times);
      if (forwarding->utimens(AT_FDCWD, path, values.get(), AT_SYMLINK_NOFOLLOW, &result)) return result;
      path = forwarding->elsewhere(AT_FDCWD, path, 0);
    }
    return Next::lutimes(path, times);
  }
  static int utimensat(int directory, const char* path, const struct timespec* times, int flags) {
    if (path == nullptr && is_forwarded(directory)) return forwarding->futimens(directory, times);
    BY_PATH(int, utimens(directory, path, times, flags, &result))
    return Next::utimensat(directory, path, times, flags);
  }

  static char* realpath(const char* path, char* resolved) {
    if (!forwards()) return Next::realpath(path, resolved);
    char* into = resolved ? resolved : static_cast<char*>(malloc(PATH_MAX));
    ssize_t size;
    if (!into || !forwarding->realpath(path, into, &size)) {
      if (!resolved) free(into);
      return Next::realpath(forwarding->elsewhere(AT_FDCWD, path, 0), resolved);
    }
    if (size < 0 && !resolved) free(into);
    return size < 0 ? nullptr : into;
  }
  static char* __realpath_chk(const char* path, char* resolved, size_t capacity) {
    return forwards() ? realpath(path, resolved) : Next::__realpath_chk(path, resolved, capacity);
  }
  static char* canonicalize_file_name(const char* path) {
    return forwards() ? realpath(path, nullptr) : Next::canonicalize_file_name(path);
  }

  // ---- the working directory
  static int chdir(const char* path) {
    BY_PATH(int, chdir(path, &result))
    return Next::chdir(path);
  }
  static int fchdir(int fd) {
    if (is_forwarded(fd)) return forwarding->fchdir(fd);
    return Next::fchdir(fd);
  }
  static char* getcwd(char* buffer, size_t size) {
    if (!forwards()) return Next::getcwd(buffer, size);
    const size_t room = buffer || size > 0 ? size : PATH_MAX;
    char* into = buffer ? buffer : static_cast<char*>(malloc(room));
    const ssize_t length = into ? forwarding->getcwd(into, room) : 0;
    if (length > 0) return into;
    if (!buffer) free(into);
    return length < 0 ? nullptr : Next::getcwd(buffer, size);
  }
  static char* get_current_dir_name() { return forwards() ? getcwd(nullptr, 0) : Next::get_current_dir_name(); }
  static char* __getcwd_chk(char* buffer, size_t size, size_t capacity) {
    return forwards() && size <= capacity ? getcwd(buffer, size) : Next::__getcwd_chk(buffer, size, capacity);
  }

  // ---- locks
  static int flock(int fd, int operation) {
    if (is_forwarded(fd)) return forwarding->flock(fd, operation);
    return Next::flock(fd, operation);
  }
  static int lockf(int fd, int command, off_t size) {
    if (is_forwarded(fd)) return forwarding->lockf(fd, command, size);
    return Next::lockf(fd, command, size);
  }

  // ---- bytes
  static HEADRACE_INLINE ssize_t read(int fd, void* buffer, size_t size) {
    if (is_forwarded(fd)) return read_one(fd, buffer, size);
    return Next::read(fd, buffer, size);
  }
  static HEADRACE_INLINE ssize_t __read_chk(int fd, void* buffer, size_t size, size_t capacity) {
    if (is_forwarded(fd)) return read_one(fd, buffer, size);
    return Next::__read_chk(fd, buffer, size, capacity);
  }
  static HEADRACE_INLINE ssize_t write(int fd, const void* buffer, size_t size) {
    if (is_forwarded(fd)) return write_one(fd, buffer, size);
    return Next::write(fd, buffer, size);
  }
  static HEADRACE_INLINE ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
    if (is_forwarded(fd)) return read_one_at(fd, buffer, size, offset);
    return Next::pread(fd, buffer, size, offset);
  }
  static HEADRACE_INLINE ssize_t __pread_chk(int fd, void* buffer, size_t size, off_t offset, size_t capacity) {
    if (is_forwarded(fd)) return read_one_at(fd, buffer, size, offset);
    return Next::__pread_chk(fd, buffer, size, offset, capacity);
  }
  static HEADRACE_INLINE ssize_t pwrite(int fd, const void* buffer, size_t size, off_t offset) {
    if (is_forwarded(fd)) return write_one_at(fd, buffer, size, offset);
    return Next::pwrite(fd, buffer, size, offset);
  }
#define BY_NUMBER(fd, call) \
  if (is_forwarded(fd)) return forwarding->call;
  static ssize_t readv(int fd, const struct iovec* vector, int count) {
    BY_NUMBER(fd, readv(fd, vector, count))
    return Next::readv(fd, vector, count);
  }
  static ssize_t writev(int fd, const struct iovec* vector, int count) {
    BY_NUMBER(fd, writev(fd, vector, count))
    return Next::writev(fd, vector, count);
  }
  static ssize_t preadv(int fd, const struct iovec* vector, int count, off_t offset) {
    BY_NUMBER(fd, preadv(fd, vector, count, offset))
    return Next::preadv(fd, vector, count, offset);
  }
  static ssize_t pwritev(int fd, const struct iovec* vector, int count, off_t offset) {
    BY_NUMBER(fd, pwritev(fd, vector, count, offset))
    return Next::pwritev(fd, vector, count, offset);
  }
  static ssize_t preadv2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    if (offset == -1) BY_NUMBER(fd, readv(fd, vector, count))
    BY_NUMBER(fd, preadv(fd, vector, count, offset))
    return Next::preadv2(fd, vector, count, offset, flags);
  }
  static ssize_t pwritev2(int fd, const struct iovec* vector, int count, off_t offset, int flags) {
    if (offset == -1) BY_NUMBER(fd, writev(fd, vector, count))
    BY_NUMBER(fd, pwritev(fd, vector, count, offset))
    return Next::pwritev2(fd, vector, count, offset, flags);
  }
  static ssize_t copy_file_range(int in, off_t* in_offset, int out, off_t* out_offset, size_t size, unsigned flags) {
    if (is_forwarded(in) || is_forwarded(out)) return forwarding->copy(in, in_offset, out, out_offset, size);
    return Next::copy_file_range(in, in_offset, out, out_offset, size, flags);
  }
  static ssize_t sendfile(int out, int in, off_t* offset, size_t size) {
    if (is_forwarded(in) || is_forwarded(out)) return forwarding->copy(in, offset, out, nullptr, size);
    return Next::sendfile(out, in, offset, size);
  }
  static void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
    if (!(flags & MAP_ANONYMOUS)) BY_NUMBER(fd, mmap(address, size, protection, flags, fd, offset))
    return Next::mmap(address, size, protection, flags, fd, offset);
  }

  // ---- on descriptors
  static off_t lseek(int fd, off_t offset, int whence) {
    BY_NUMBER(fd, lseek(fd, offset, whence))
    return Next::lseek(fd, offset, whence);
  }
  static int fstat(int fd, struct stat* into) {
    BY_NUMBER(fd, fstat(fd, into))
    return Next::fstat(fd, into);
  }
  static int __fxstat(int version, int fd, struct stat* into) {
    BY_NUMBER(fd, fstat(fd, into))
    return Next::__fxstat(version, fd, into);
  }
  static int ftruncate(int fd, off_t size) {
    BY_NUMBER(fd, ftruncate(fd, size))
    return Next::ftruncate(fd, size);
  }
  static int fallocate(int fd, int mode, off_t offset, off_t size) {
    BY_NUMBER(fd, allocate(fd, mode, offset, size))
    return Next::fallocate(fd, mode, offset, size);
  }
  static int posix_fallocate(int fd, off_t offset, off_t size) {
    if (is_forwarded(fd)) return forwarding->allocate(fd, 0, offset, size) == 0 ? 0 : errno;
    return Next::posix_fallocate(fd, offset, size);
  }
  static int posix_fadvise(int fd, off_t offset, off_t size, int advice) {
    return is_forwarded(fd) ? 0 : Next::posix_fadvise(fd, offset, size, advice);
  }
  static ssize_t readahead(int fd, off_t offset, size_t size) {
    return is_forwarded(fd) ? 0 : Next::readahead(fd, offset, size);
  }
  static int fsync(int fd) {
    BY_NUMBER(fd, fsync(fd))
    return Next::fsync(fd);
  }
  static int fdatasync(int fd) {
    BY_NUMBER(fd, fsync(fd))
    return Next::fdatasync(fd);
  }
  static int sync_file_range(int fd, off_t offset, off_t size, unsigned flags) {
    BY_NUMBER(fd, fsync(fd))
    return Next::sync_file_range(fd, offset, size, flags);
  }
  static int syncfs(int fd) {
    BY_NUMBER(fd, fsync(fd))
    return Next::syncfs(fd);
  }
  static int fchmod(int fd, mode_t mode) {
    BY_NUMBER(fd, fchmod(fd, mode))
    return Next::fchmod(fd, mode);
  }
  static int fchown(int fd, uid_t user, gid_t group) {
    BY_NUMBER(fd, fchown(fd, user, group))
    return Next::fchown(fd, user, group);
  }
  static int futimes(int fd, const struct timeval* times) {
    if (is_forwarded(fd)) return forwarding->futimens(fd, Times(times).get());
    return Next::futimes(fd, times);
  }
  static int futimens(int fd, const struct timespec* times) {
    BY_NUMBER(fd, futimens(fd, times))
    return Next::futimens(fd, times);
  }
  static int ioctl(int fd, unsigned long request, void* argument) {
    if (is_forwarded(fd)) return errno = ENOTTY, -1;
    return Next::ioctl(fd, request, argument);
  }

  // ---- descriptors come and go
  static int close(int fd) {
    if (!forwards() || capture::in_vfork_child()) return Next::close(fd);
    const int result = forwarding->close(fd);
    changed(fd);
    return result;
  }
  static int dup(int fd) {
    const int copy = Next::dup(fd);
    if (copy < 0 || !is_forwarded_here(fd)) return copy;
    forwarding->duplicated(fd, copy);
    return changed(copy);
  }
  static int dup2(int fd, int target) {
    if (!forwards() || capture::in_vfork_child()) return Next::dup2(fd, target);
    return changed(forwarding->dup2(fd, target, -1));
  }
  static int dup3(int fd, int target, int flags) {
    if (!forwards() || capture::in_vfork_child() || flags < 0) return Next::dup3(fd, target, flags);
    return changed(forwarding->dup2(fd, target, flags));
  }
  static int fcntl(int fd, int command, void* argument) {
    if (!is_forwarded_here(fd)) return Next::fcntl(fd, command, argument);
    int result;
    if (forwarding->lock(fd, command, static_cast<struct flock*>(argument), &result)) return result;
    result = forwarding->fcntl(fd, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? changed(result) : result;
  }
  static int close_range(unsigned first, unsigned last, int flags) {
    if (forwards() && !capture::in_vfork_child()) return forwarding->close_range(first, last, flags);
    return Next::close_range(first, last, flags);
  }
  static void closefrom(int first) {
    if (forwards() && !capture::in_vfork_child())
      forwarding->close_range(first > 0 ? static_cast<unsigned>(first) : 0, ~0u, 0);
    else
      Next::closefrom(first);
  }

  // ---- directories
  static DIR* opendir(const char* path) {
    BY_PATH(DIR*, opendir(path, &result))
    return Next::opendir(path);
  }
  static DIR* fdopendir(int fd) {
    BY_NUMBER(fd, fdopendir(fd))
    return Next::fdopendir(fd);
  }
  static struct dirent* readdir(DIR* stream) {
    if (is_forwarded(stream)) return forwarding->readdir(stream);
    return Next::readdir(stream);
  }
  static int readdir_r(DIR* stream, struct dirent* entry, struct dirent** result) {
    if (!is_forwarded(stream)) return Next::readdir_r(stream, entry, result);
    const int saved = errno;
    errno = 0;
    const struct dirent* found = forwarding->readdir(stream);
    const int error = found ? 0 : errno;
    errno = saved;
    if (found) *entry = *found;
    *result = found ? entry : nullptr;
    return error;
  }
  static void rewinddir(DIR* stream) {
    if (is_forwarded(stream)) return forwarding->seekdir(stream, 0);
    Next::rewinddir(stream);
  }
  static void seekdir(DIR* stream, long position) {
    if (is_forwarded(stream)) return forwarding->seekdir(stream, position);
    Next::seekdir(stream, position);
  }
  static int closedir(DIR* stream) {
    if (stream && is_forwarded(stream)) return forwarding->closedir(stream);
    return Next::closedir(stream);
  }
  static ssize_t getdents64(int fd, void* buffer, size_t size) {
    BY_NUMBER(fd, getdents64(fd, buffer, size))
    return Next::getdents64(fd, buffer, size);
  }
#undef BY_PATH
#undef BY_PATHS
#undef BY_PATTERN
#undef BY_NUMBER

 private:
  /// After a number may have got another meaning.
  static int changed(int fd) {
    if (static_cast<unsigned>(fd) < 3) standard_descriptor_changed(fd);
    return fd;
  }
  static int print(int fd, const char* format, va_list values) {
    char* text = nullptr;
    const int size = vasprintf(&text, format, values);
    if (size < 0) return size;
    const ssize_t put = write_one(fd, text, static_cast<size_t>(size));
    free(text);
    return static_cast<int>(put);
  }
  /// Of the calls that have microseconds.
  class Times {
   public:
    explicit Times(const struct timeval* times) : known_(times != nullptr) {
      for (int i = 0; known_ && i < 2; ++i) values_[i] = {times[i].tv_sec, times[i].tv_usec * 1000};
    }
    const timespec* get() const { return known_ ? values_ : nullptr; }

   private:
    bool known_;
    timespec values_[2] = {};
  };
  static bool is_empty_path(const char* path, int flags) { return (flags & AT_EMPTY_PATH) && path && !*path; }
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
  static bool is_forwarded(DIR* stream) { return forwards() && forwarding->is_directory(stream); }
  static __attribute__((noinline)) ssize_t read_one(int fd, void* buffer, size_t size) {
    const iovec part{buffer, size};
    return forwarding->readv(fd, &part, 1);
  }
  static __attribute__((noinline)) ssize_t read_one_at(int fd, void* buffer, size_t size, off_t offset) {
    const iovec part{buffer, size};
    return forwarding->preadv(fd, &part, 1, offset);
  }
  static __attribute__((noinline)) ssize_t write_one(int fd, const void* buffer, size_t size) {
    const iovec part{const_cast<void*>(buffer), size};
    return forwarding->writev(fd, &part, 1);
  }
  static __attribute__((noinline)) ssize_t write_one_at(int fd, const void* buffer, size_t size, off_t offset) {
    const iovec part{const_cast<void*>(buffer), size};
    return forwarding->pwritev(fd, &part, 1, offset);
  }
};

}  // namespace headrace::preload
