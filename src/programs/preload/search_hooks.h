// Functions of the C library that search directories by calls of its own, for paths that are forwarded.
#pragma once
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "programs/preload/forwarding.h"
#include "programs/preload/tree_walk.h"

namespace headrace::preload {

template <class Next>
struct SearchHooks : Next {
  /// The C library does it, with the functions that see forwarded files, unless the program gives its own.
  static int glob(const char* pattern, int flags, int (*on_error)(const char*, int), glob_t* result) {
    if (!forwards() || (flags & GLOB_ALTDIRFUNC)) return Next::glob(pattern, flags, on_error, result);
    const glob_t before = *result;
    result->gl_opendir = [](const char* path) -> void* { return Next::opendir(path); };
    result->gl_readdir = [](void* stream) { return Next::readdir(static_cast<DIR*>(stream)); };
    result->gl_closedir = [](void* stream) { Next::closedir(static_cast<DIR*>(stream)); };
    result->gl_stat = [](const char* path, struct stat* into) { return Next::stat(path, into); };
    result->gl_lstat = [](const char* path, struct stat* into) { return Next::lstat(path, into); };
    const int found = Next::glob(pattern, flags | GLOB_ALTDIRFUNC, on_error, result);
    result->gl_flags &= ~GLOB_ALTDIRFUNC;
    result->gl_opendir = before.gl_opendir;
    result->gl_readdir = before.gl_readdir;
    result->gl_closedir = before.gl_closedir;
    result->gl_stat = before.gl_stat;
    result->gl_lstat = before.gl_lstat;
    return found;
  }
  static int ftw(const char* path, __ftw_func_t visit, int descriptors) {
    if (!is_forwarded(path)) return Next::ftw(path, visit, descriptors);
    return TreeWalk<SearchHooks>(visit).walk(path);
  }
  static int nftw(const char* path, __nftw_func_t visit, int descriptors, int flags) {
    if (!is_forwarded(path)) return Next::nftw(path, visit, descriptors, flags);
    return TreeWalk<SearchHooks>(visit, flags).walk(path);
  }

  static ssize_t getdirentries(int fd, char* buffer, size_t size, off_t* base) {
    if (!is_forwarded(fd)) return Next::getdirentries(fd, buffer, size, base);
    *base = Next::lseek(fd, 0, SEEK_CUR);
    return Next::getdents64(fd, buffer, size);
  }
  static int scandir(const char* path, struct dirent*** names, int (*filter)(const struct dirent*),
                     int (*compare)(const struct dirent**, const struct dirent**)) {
    if (!forwards()) return Next::scandir(path, names, filter, compare);
    if (!forwarding->is_forwarded(AT_FDCWD, path))
      return Next::scandir(forwarding->elsewhere(AT_FDCWD, path, 0), names, filter, compare);
    DIR* directory = Next::opendir(path);
    return directory ? scan(directory, names, filter, compare) : -1;
  }
  static int scandirat(int directory, const char* path, struct dirent*** names, int (*filter)(const struct dirent*),
                       int (*compare)(const struct dirent**, const struct dirent**)) {
    if (!forwards()) return Next::scandirat(directory, path, names, filter, compare);
    if (!forwarding->is_forwarded(directory, path))
      return Next::scandirat(directory, forwarding->elsewhere(directory, path, 0), names, filter, compare);
    const int fd = Next::openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    DIR* found = fd < 0 ? nullptr : Next::fdopendir(fd);
    return found ? scan(found, names, filter, compare) : -1;
  }

 private:
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
  static bool is_forwarded(const char* path) { return forwards() && forwarding->is_forwarded(AT_FDCWD, path); }
  static int scan(DIR* directory, struct dirent*** names, int (*filter)(const struct dirent*),
                  int (*compare)(const struct dirent**, const struct dirent**)) {
    struct dirent** all = nullptr;
    size_t count = 0;
    bool whole = true;
    const int saved = errno;
    for (errno = 0; whole;) {
      const struct dirent* entry = Next::readdir(directory);
      if (!entry) break;
      const bool wanted = !filter || filter(entry);
      errno = 0;  // the filter may have left one
      if (!wanted) continue;
      auto** larger = static_cast<struct dirent**>(realloc(all, (count + 1) * sizeof *all));
      if (larger) all = larger;
      auto* copy = larger ? static_cast<struct dirent*>(malloc(sizeof *copy)) : nullptr;
      whole = copy != nullptr;
      if (whole) all[count++] = static_cast<struct dirent*>(memcpy(copy, entry, sizeof *copy));
      errno = whole ? 0 : ENOMEM;
    }
    const int error = errno;
    Next::closedir(directory);
    errno = error == 0 ? saved : error;
    if (error != 0) {
      for (size_t i = 0; i < count; ++i) free(all[i]);
      free(all);
      return -1;
    }
    if (compare && count > 1)
      qsort(all, count, sizeof *all, reinterpret_cast<int (*)(const void*, const void*)>(compare));
    *names = all;
    return static_cast<int>(count);
  }
};

}  // namespace headrace::preload
