// The functions that are emulated and those that this needs: always the next ones behind this library, so that no
// capture counts what is done here.
#pragma once
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

// What programs call that were compiled for older C libraries, or with checks; headers do not name all of them.
extern "C" {
int __xstat(int version, const char* path, struct stat* info);
int __xstat64(int version, const char* path, struct stat64* info);
int __lxstat(int version, const char* path, struct stat* info);
int __lxstat64(int version, const char* path, struct stat64* info);
int __fxstat(int version, int fd, struct stat* info);
int __fxstat64(int version, int fd, struct stat64* info);
int __fxstatat(int version, int directory, const char* path, struct stat* info, int flags);
int __fxstatat64(int version, int directory, const char* path, struct stat64* info, int flags);
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int directory, const char* path, int flags);
int __openat64_2(int directory, const char* path, int flags);
ssize_t __read_chk(int fd, void* bytes, size_t count, size_t room);
ssize_t __pread_chk(int fd, void* bytes, size_t count, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void* bytes, size_t count, off64_t offset, size_t room);
size_t __fread_chk(void* bytes, size_t room, size_t size, size_t count, FILE* stream);
char* __fgets_chk(char* text, size_t room, int count, FILE* stream);
int __fprintf_chk(FILE* stream, int flag, const char* format, ...);
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list values);
int __overflow(FILE* stream, int byte);
int __uflow(FILE* stream);
}

// clang-format off
#define HEADRACE_EMULATE_USES(F) \
  F(read) F(write) F(pread) F(pwrite) F(pread64) F(pwrite64) F(readv) F(writev) F(preadv) F(pwritev) \
  F(preadv64) F(pwritev64) F(__read_chk) F(__pread_chk) F(__pread64_chk) F(fsync) F(fdatasync) F(open) \
  F(open64) F(openat) F(openat64) F(creat) F(creat64) F(__open_2) F(__open64_2) F(__openat_2) \
  F(__openat64_2) F(close) F(stat) F(stat64) F(lstat) F(lstat64) F(fstat) F(fstat64) F(fstatat) \
  F(fstatat64) F(statx) F(__xstat) F(__xstat64) F(__lxstat) F(__lxstat64) F(__fxstat) F(__fxstat64) \
  F(__fxstatat) F(__fxstatat64) F(access) F(faccessat) F(unlink) F(unlinkat) F(remove) F(rename) \
  F(renameat) F(renameat2) F(mkdir) F(mkdirat) F(rmdir) F(opendir) F(fopen) F(fopen64) \
  F(fclose) F(fflush) F(fread) F(fread_unlocked) F(__fread_chk) F(fwrite) F(fwrite_unlocked) \
  F(fputs) F(fputs_unlocked) F(fputc) F(putc) F(fgetc) F(getc) F(fgets) F(__fgets_chk) F(getline) \
  F(getdelim) F(vfprintf) F(__vfprintf_chk) F(fseek) F(fseeko) F(fseeko64) F(rewind) F(__overflow) \
  F(__uflow) F(lseek) F(readlink) F(statfs) F(statfs64) F(fstatfs) F(fstatfs64) F(ioctl) F(getcwd) F(posix_fallocate) F(mmap) F(clock_nanosleep) F(prctl)
// clang-format on

namespace headrace::emulate {

template <typename F>
struct Real {
  const char* name;
  std::atomic<F*> found{nullptr};
  /// Where it is; aborts nothing: a function that the C library lacks is null, and nobody calls it then.
  F* get() {
    F* function = found.load(std::memory_order_relaxed);
    return function != nullptr ? function : find();
  }
  F* find();
};

void* find_next(const char* name);
template <typename F>
F* Real<F>::find() {
  F* function = reinterpret_cast<F*>(find_next(name));
  found.store(function, std::memory_order_relaxed);
  return function;
}

#define HEADRACE_EMULATE_REAL(name) extern Real<decltype(::name)> real_##name;
HEADRACE_EMULATE_USES(HEADRACE_EMULATE_REAL)
#undef HEADRACE_EMULATE_REAL

}  // namespace headrace::emulate

#define REAL(name) headrace::emulate::real_##name.get()
