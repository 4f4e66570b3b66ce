// Forwarded directories: the working directory, streams of entries, and paths without links.
#pragma once
#include <limits.h>
#include <stdlib.h>

#include "programs/preload/forwarding.h"

namespace headrace::preload {

#define BY_PATH(ret, call)                            \
  if (forwards()) {                                   \
    ret result;                                       \
    if (forwarding->call) return result;              \
    path = forwarding->elsewhere(directory, path, 0); \
  }
#define BY_NUMBER(fd, call) \
  if (is_forwarded(fd)) return forwarding->call;
template <class Next>
struct ForwardDirectories : Next {
  // Of calls that have no parameter of this name.
  static constexpr int directory = AT_FDCWD;

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

 private:
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
  static bool is_forwarded(DIR* stream) { return forwards() && forwarding->is_directory(stream); }
};
#undef BY_PATH
#undef BY_NUMBER

}  // namespace headrace::preload
