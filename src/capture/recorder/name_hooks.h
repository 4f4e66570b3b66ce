// Hooks of the calls that name a file by its path without opening it.
#pragma once
#include <type_traits>

#include "capture/recorder/calls.h"
#include "capture/recorder/file_names.h"
#include "capture/recorder/flags.h"
#include "intercept/functions_headers.h"

namespace headrace::capture {

template <class Next>
struct NameHooks : Next {
  using Filter = int (*)(const struct dirent*);
  using Compare = int (*)(const struct dirent**, const struct dirent**);

  static int truncate(const char* path, off_t size) {
    return on_path(Fn::truncate, AT_FDCWD, path, Metadata::kTruncates, [&] { return Next::truncate(path, size); });
  }
  static int stat(const char* path, struct stat* result) {
    return on_look(Fn::stat, AT_FDCWD, path, result, [&] { return Next::stat(path, result); });
  }
  static int lstat(const char* path, struct stat* result) {
    return on_look(Fn::lstat, AT_FDCWD, path, result, [&] { return Next::lstat(path, result); });
  }
  static int fstatat(int directory, const char* path, struct stat* result, int flags) {
    return on_look(Fn::fstatat, directory, path, result, [&] { return Next::fstatat(directory, path, result, flags); });
  }
  static int statx(int directory, const char* path, int flags, unsigned mask, struct statx* result) {
    return on_look(Fn::statx, directory, path, result,
                   [&] { return Next::statx(directory, path, flags, mask, result); });
  }
  static int __xstat(int version, const char* path, struct stat* result) {
    return on_look(Fn::__xstat, AT_FDCWD, path, result, [&] { return Next::__xstat(version, path, result); });
  }
  static int __lxstat(int version, const char* path, struct stat* result) {
    return on_look(Fn::__lxstat, AT_FDCWD, path, result, [&] { return Next::__lxstat(version, path, result); });
  }
  static int __fxstatat(int version, int directory, const char* path, struct stat* result, int flags) {
    return on_look(Fn::__fxstatat, directory, path, result,
                   [&] { return Next::__fxstatat(version, directory, path, result, flags); });
  }
  static int statfs(const char* path, struct statfs* result) {
    return on_path(Fn::statfs, AT_FDCWD, path, Metadata::kStats, [&] { return Next::statfs(path, result); });
  }
  static int statvfs(const char* path, struct statvfs* result) {
    return on_path(Fn::statvfs, AT_FDCWD, path, Metadata::kStats, [&] { return Next::statvfs(path, result); });
  }
  static int access(const char* path, int mode) {
    return on_path(Fn::access, AT_FDCWD, path, Metadata::kStats, [&] { return Next::access(path, mode); });
  }
  static int faccessat(int directory, const char* path, int mode, int flags) {
    return on_path(Fn::faccessat, directory, path, Metadata::kStats,
                   [&] { return Next::faccessat(directory, path, mode, flags); });
  }
  static int eaccess(const char* path, int mode) {
    return on_path(Fn::eaccess, AT_FDCWD, path, Metadata::kStats, [&] { return Next::eaccess(path, mode); });
  }
  static ssize_t readlink(const char* path, char* buffer, size_t size) {
    return on_path(Fn::readlink, AT_FDCWD, path, Metadata::kStats, [&] { return Next::readlink(path, buffer, size); });
  }
  static ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t capacity) {
    return on_path(Fn::__readlink_chk, AT_FDCWD, path, Metadata::kStats,
                   [&] { return Next::__readlink_chk(path, buffer, size, capacity); });
  }
  static ssize_t readlinkat(int directory, const char* path, char* buffer, size_t size) {
    return on_path(Fn::readlinkat, directory, path, Metadata::kStats,
                   [&] { return Next::readlinkat(directory, path, buffer, size); });
  }
  static ssize_t __readlinkat_chk(int directory, const char* path, char* buffer, size_t size, size_t capacity) {
    return on_path(Fn::__readlinkat_chk, directory, path, Metadata::kStats,
                   [&] { return Next::__readlinkat_chk(directory, path, buffer, size, capacity); });
  }
  static char* realpath(const char* path, char* resolved) {
    return on_path(Fn::realpath, AT_FDCWD, path, Metadata::kStats, [&] { return Next::realpath(path, resolved); });
  }
  static char* __realpath_chk(const char* path, char* resolved, size_t capacity) {
    return on_path(Fn::__realpath_chk, AT_FDCWD, path, Metadata::kStats,
                   [&] { return Next::__realpath_chk(path, resolved, capacity); });
  }
  static char* canonicalize_file_name(const char* path) {
    return on_path(Fn::canonicalize_file_name, AT_FDCWD, path, Metadata::kStats,
                   [&] { return Next::canonicalize_file_name(path); });
  }
  static long pathconf(const char* path, int name) {
    return on_path(Fn::pathconf, AT_FDCWD, path, Metadata::kStats, [&] { return Next::pathconf(path, name); });
  }
  static int name_to_handle_at(int directory, const char* path, struct file_handle* handle, int* mount, int flags) {
    return on_path(Fn::name_to_handle_at, directory, path, Metadata::kStats,
                   [&] { return Next::name_to_handle_at(directory, path, handle, mount, flags); });
  }
  static int scandir(const char* path, struct dirent*** names, Filter filter, Compare compare) {
    return on_directory(Fn::scandir, AT_FDCWD, path, Metadata::kDirectoryReads,
                        [&] { return Next::scandir(path, names, filter, compare); });
  }
  static int scandirat(int directory, const char* path, struct dirent*** names, Filter filter, Compare compare) {
    return on_directory(Fn::scandirat, directory, path, Metadata::kDirectoryReads,
                        [&] { return Next::scandirat(directory, path, names, filter, compare); });
  }
  static int unlink(const char* path) {
    return on_path(Fn::unlink, AT_FDCWD, path, Metadata::kUnlinks, [&] { return Next::unlink(path); }, flag::deleted);
  }
  static int unlinkat(int directory, const char* path, int flags) {
    return on_path(
        Fn::unlinkat, directory, path, Metadata::kUnlinks, [&] { return Next::unlinkat(directory, path, flags); },
        flag::deleted, [&] { return (flags & AT_REMOVEDIR) != 0 ? Shown::kDirectory : Shown::kOther; });
  }
  static int rmdir(const char* path) {
    return on_directory(
        Fn::rmdir, AT_FDCWD, path, Metadata::kUnlinks, [&] { return Next::rmdir(path); }, flag::deleted);
  }
  static int remove(const char* path) {
    return on_path(Fn::remove, AT_FDCWD, path, Metadata::kUnlinks, [&] { return Next::remove(path); }, flag::deleted);
  }
  static int link(const char* from, const char* to) {
    return on_link(Fn::link, AT_FDCWD, from, AT_FDCWD, to, 0, [&] { return Next::link(from, to); });
  }
  static int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) {
    return on_link(Fn::linkat, from_directory, from, to_directory, to, flags,
                   [&] { return Next::linkat(from_directory, from, to_directory, to, flags); });
  }
  static int symlink(const char* target, const char* path) {
    return on_symbolic_link(Fn::symlink, target, AT_FDCWD, path, [&] { return Next::symlink(target, path); });
  }
  static int symlinkat(const char* target, int directory, const char* path) {
    return on_symbolic_link(Fn::symlinkat, target, directory, path,
                            [&] { return Next::symlinkat(target, directory, path); });
  }
  static int mkdir(const char* path, mode_t mode) {
    return on_directory(Fn::mkdir, AT_FDCWD, path, Metadata::kMakes, [&] { return Next::mkdir(path, mode); });
  }
  static int mkdirat(int directory, const char* path, mode_t mode) {
    return on_directory(Fn::mkdirat, directory, path, Metadata::kMakes,
                        [&] { return Next::mkdirat(directory, path, mode); });
  }
  static int mknod(const char* path, mode_t mode, dev_t device) {
    return on_path(Fn::mknod, AT_FDCWD, path, Metadata::kMakes, [&] { return Next::mknod(path, mode, device); });
  }
  static int mknodat(int directory, const char* path, mode_t mode, dev_t device) {
    return on_path(Fn::mknodat, directory, path, Metadata::kMakes,
                   [&] { return Next::mknodat(directory, path, mode, device); });
  }
  static int __xmknod(int version, const char* path, mode_t mode, dev_t* device) {
    return on_path(Fn::__xmknod, AT_FDCWD, path, Metadata::kMakes,
                   [&] { return Next::__xmknod(version, path, mode, device); });
  }
  static int __xmknodat(int version, int directory, const char* path, mode_t mode, dev_t* device) {
    return on_path(Fn::__xmknodat, directory, path, Metadata::kMakes,
                   [&] { return Next::__xmknodat(version, directory, path, mode, device); });
  }
  static int mkfifo(const char* path, mode_t mode) {
    return on_path(Fn::mkfifo, AT_FDCWD, path, Metadata::kMakes, [&] { return Next::mkfifo(path, mode); });
  }
  static int mkfifoat(int directory, const char* path, mode_t mode) {
    return on_path(Fn::mkfifoat, directory, path, Metadata::kMakes,
                   [&] { return Next::mkfifoat(directory, path, mode); });
  }
  static char* mkdtemp(char* pattern) {
    return on_directory(
        Fn::mkdtemp, AT_FDCWD, pattern, Metadata::kMakes, [&] { return Next::mkdtemp(pattern); }, flag::temporary);
  }
  static int chmod(const char* path, mode_t mode) {
    return on_path(Fn::chmod, AT_FDCWD, path, Metadata::kAttributes, [&] { return Next::chmod(path, mode); });
  }
  static int fchmodat(int directory, const char* path, mode_t mode, int flags) {
    return on_path(Fn::fchmodat, directory, path, Metadata::kAttributes,
                   [&] { return Next::fchmodat(directory, path, mode, flags); });
  }
  static int lchmod(const char* path, mode_t mode) {
    return on_path(Fn::lchmod, AT_FDCWD, path, Metadata::kAttributes, [&] { return Next::lchmod(path, mode); });
  }
  static int chown(const char* path, uid_t user, gid_t group) {
    return on_path(Fn::chown, AT_FDCWD, path, Metadata::kAttributes, [&] { return Next::chown(path, user, group); });
  }
  static int lchown(const char* path, uid_t user, gid_t group) {
    return on_path(Fn::lchown, AT_FDCWD, path, Metadata::kAttributes, [&] { return Next::lchown(path, user, group); });
  }
  static int fchownat(int directory, const char* path, uid_t user, gid_t group, int flags) {
    return on_path(Fn::fchownat, directory, path, Metadata::kAttributes,
                   [&] { return Next::fchownat(directory, path, user, group, flags); });
  }
  static int utime(const char* path, const struct utimbuf* times) {
    return on_path(Fn::utime, AT_FDCWD, path, Metadata::kAttributes, [&] { return Next::utime(path, times); });
  }
  static int utimes(const char* path, const struct timeval* times) {
    return on_path(Fn::utimes, AT_FDCWD, path, Metadata::kAttributes, [&] { return Next::utimes(path, times); });
  }
  static int lutimes(const char* path, const struct timeval* times) {
    return on_path(Fn::lutimes, AT_FDCWD, path, Metadata::kAttributes, [&] { return Next::lutimes(path, times); });
  }
  static int futimesat(int directory, const char* path, const struct timeval* times) {
    return on_path(Fn::futimesat, directory, path, Metadata::kAttributes,
                   [&] { return Next::futimesat(directory, path, times); });
  }
  static int utimensat(int directory, const char* path, const struct timespec* times, int flags) {
    return on_path(Fn::utimensat, directory, path, Metadata::kAttributes,
                   [&] { return Next::utimensat(directory, path, times, flags); });
  }
  static ssize_t getxattr(const char* path, const char* name, void* value, size_t size) {
    return on_path(Fn::getxattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::getxattr(path, name, value, size); });
  }
  static int setxattr(const char* path, const char* name, const void* value, size_t size, int flags) {
    return on_path(Fn::setxattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::setxattr(path, name, value, size, flags); });
  }
  static ssize_t listxattr(const char* path, char* list, size_t size) {
    return on_path(Fn::listxattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::listxattr(path, list, size); });
  }
  static int removexattr(const char* path, const char* name) {
    return on_path(Fn::removexattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::removexattr(path, name); });
  }
  static ssize_t lgetxattr(const char* path, const char* name, void* value, size_t size) {
    return on_path(Fn::lgetxattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::lgetxattr(path, name, value, size); });
  }
  static int lsetxattr(const char* path, const char* name, const void* value, size_t size, int flags) {
    return on_path(Fn::lsetxattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::lsetxattr(path, name, value, size, flags); });
  }
  static ssize_t llistxattr(const char* path, char* list, size_t size) {
    return on_path(Fn::llistxattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::llistxattr(path, list, size); });
  }
  static int lremovexattr(const char* path, const char* name) {
    return on_path(Fn::lremovexattr, AT_FDCWD, path, Metadata::kAttributes,
                   [&] { return Next::lremovexattr(path, name); });
  }

  // ---- two names
  static int rename(const char* from, const char* to) {
    return on_rename(Fn::rename, AT_FDCWD, from, AT_FDCWD, to, 0, [&] { return Next::rename(from, to); });
  }
  static int renameat(int from_directory, const char* from, int to_directory, const char* to) {
    return on_rename(Fn::renameat, from_directory, from, to_directory, to, 0,
                     [&] { return Next::renameat(from_directory, from, to_directory, to); });
  }
  static int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
    return on_rename(Fn::renameat2, from_directory, from, to_directory, to, flags,
                     [&] { return Next::renameat2(from_directory, from, to_directory, to, flags); });
  }
  static int shm_unlink(const char* name) {
    Timed time;
    int result = timed(time, [&] { return Next::shm_unlink(name); });
    plain_call(Fn::shm_unlink, result == 0, time);
    return result;
  }

  // ---- the working directory
  static int chdir(const char* path) {
    Timed time;
    int result = timed(time, [&] { return Next::chdir(path); });
    if (result == 0) changed_working_directory(path);
    plain_call(Fn::chdir, result == 0, time);
    return result;
  }
  static int chroot(const char* path) {
    return on_directory_change(Fn::chroot, [&] { return Next::chroot(path); });
  }
  // Walks open directories inside the C library and may change directory; what they visit shows in the program's
  // callbacks.
  static int ftw(const char* path, __ftw_func_t visit, int descriptors) {
    return on_directory_change(Fn::ftw, [&] { return Next::ftw(path, visit, descriptors); });
  }
  static int nftw(const char* path, __nftw_func_t visit, int descriptors, int flags) {
    return on_directory_change(Fn::nftw, [&] { return Next::nftw(path, visit, descriptors, flags); });
  }
  static FTS* fts_open(char* const* paths, int options, int (*compare)(const FTSENT**, const FTSENT**)) {
    return on_directory_change(Fn::fts_open, [&] { return Next::fts_open(paths, options, compare); });
  }
  static FTSENT* fts_read(FTS* walk) {
    return on_directory_change(Fn::fts_read, [&] { return Next::fts_read(walk); });
  }
  static FTSENT* fts_children(FTS* walk, int options) {
    return on_directory_change(Fn::fts_children, [&] { return Next::fts_children(walk, options); });
  }
  static int fts_close(FTS* walk) {
    return on_directory_change(Fn::fts_close, [&] { return Next::fts_close(walk); });
  }
  static int glob(const char* pattern, int flags, int (*on_error)(const char*, int), glob_t* result) {
    return on_directory_change(Fn::glob, [&] { return Next::glob(pattern, flags, on_error, result); });
  }

 private:
  template <typename R>
  static bool succeeded(R result) {
    if constexpr (std::is_pointer_v<R>)
      return result != nullptr;
    else
      return result >= 0;
  }
  static Shown nothing() { return Shown::kNothing; }
  static Shown only_directories() { return Shown::kDirectory; }
  /// `shown` is asked when the call succeeded.
  template <typename Call, typename Told = Shown (*)()>
  static HEADRACE_INLINE auto on_path(Fn function, int directory, const char* path, Metadata::Count which, Call call,
                                      uint32_t flags = 0, Told shown = nothing) {
    Timed time;
    auto result = timed(function, OnPath{directory, path}, time, call);
    const bool ok = succeeded(result);
    path_call(function, directory, path, which, ok, time, flags, ok ? shown() : Shown::kNothing);
    return result;
  }
  /// A call that succeeds on directories alone.
  template <typename Call>
  static auto on_directory(Fn function, int directory, const char* path, Metadata::Count which, Call call,
                           uint32_t flags = 0) {
    return on_path(function, directory, path, which, call, flags, only_directories);
  }
  /// A call that says what a path is.
  template <typename Attributes, typename Call>
  static HEADRACE_INLINE int on_look(Fn function, int directory, const char* path, const Attributes* found, Call call) {
    return on_path(function, directory, path, Metadata::kStats, call, 0, [&] { return shown_by(*found); });
  }
  static Shown shown_by(const struct stat& found) { return S_ISDIR(found.st_mode) ? Shown::kDirectory : Shown::kOther; }
  static Shown shown_by(const struct statx& found) {
    if ((found.stx_mask & STATX_TYPE) == 0) return Shown::kNothing;
    return S_ISDIR(found.stx_mode) ? Shown::kDirectory : Shown::kOther;
  }
  template <typename Call>
  static int on_rename(Fn function, int from_directory, const char* from, int to_directory, const char* to,
                       unsigned flags, Call call) {
    Timed time;
    int result = timed(function, OnPath{from_directory, from}, time, call);
    constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE
    renamed(function, from_directory, from, to_directory, to, result == 0, (flags & kExchange) != 0, time);
    return result;
  }
  template <typename Call>
  static int on_link(Fn function, int from_directory, const char* from, int to_directory, const char* to, int flags,
                     Call call) {
    Timed time;
    int result = timed(function, OnPath{from_directory, from}, time, call);
    linked(function, from_directory, from, to_directory, to, flags, result == 0, time);
    return result;
  }
  template <typename Call>
  static int on_symbolic_link(Fn function, const char* target, int directory, const char* path, Call call) {
    Timed time;
    int result = timed(function, OnPath{directory, path}, time, call);
    path_call(function, directory, path, Metadata::kLinks, result == 0, time, 0, Shown::kNothing,
              {directory, target, 0, true});
    return result;
  }
  template <typename Call>
  static auto on_directory_change(Fn function, Call call) {
    Timed time;
    auto result = timed(function, OnNothing(), time, call);
    forget_working_directory();
    plain_call(function, succeeded(result), time);
    return result;
  }
};

}  // namespace headrace::capture
