// Functions of the C library that search directories by calls of its own, for paths that are forwarded.
#pragma once
#include <glob.h>

#include "programs/preload/forward_hooks.h"
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
    return TreeWalk<Next>(visit).walk(path);
  }
  static int nftw(const char* path, __nftw_func_t visit, int descriptors, int flags) {
    if (!is_forwarded(path)) return Next::nftw(path, visit, descriptors, flags);
    return TreeWalk<Next>(visit, flags).walk(path);
  }

 private:
  static bool is_forwarded(const char* path) { return forwards() && forwarding->is_forwarded(AT_FDCWD, path); }
};

}  // namespace headrace::preload
