/* Each case does known I/O on the file (or directory) of its own name in the working directory. test_counters.py says
 * what must be counted. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static _Alignas(4096) char buffer[1 << 20];
static _Alignas(8) const char to_stdout[] = "to stdout\n";

static void need(long result, const char* what) {
  if (result < 0) perror(what), exit(1);
}

static int make(const char* path, int flags) {
  int fd = open(path, flags | O_RDWR | O_CREAT, 0644);
  need(fd, path);
  return fd;
}

static void patterns(const char* path) {
  int fd = make(path, O_TRUNC);
  need(write(fd, buffer, 4096), "write");             /* consecutive: begins where the file does */
  need(write(fd, buffer, 4096), "write");             /* consecutive */
  need(pwrite(fd, buffer, 100, 10000), "pwrite");     /* forward, unaligned in the file */
  need(pwrite(fd, buffer + 1, 4096, 4096), "pwrite"); /* backward, unaligned in memory */
  need(pread(fd, buffer, 50, 100), "pread");          /* forward; a switch */
  need(pread(fd, buffer, 50, 150), "pread");          /* consecutive */
  need(pread(fd, buffer, 0, 200), "pread");           /* nothing */
  need(pread(fd, buffer, 10, 0), "pread");            /* backward */
  need(pread(fd, buffer, 10, 1 << 20), "pread");      /* end of file: no bytes */
  need(write(fd, buffer, 0), "write");                /* a switch */
  close(fd);
}

static void duplicates(const char* path) {
  int fd = make(path, 0), other = dup(fd), third = dup2(fd, 200), fourth = fcntl(fd, F_DUPFD, 100);
  need(write(fd, buffer, 1), "write");
  need(write(other, buffer, 1), "write");
  need(write(third, buffer, 1), "write");
  need(write(fourth, buffer, 1), "write");
  close(fd), close(other), close(third), close(fourth);
}

static void metadata(const char* path) {
  struct stat info;
  struct statfs system;
  struct flock whole = {.l_type = F_WRLCK};
  int fd = make(path, 0), value = 0;
  need(lseek(fd, 10, SEEK_SET), "lseek");
  need(fstat(fd, &info), "fstat");
  need(stat(path, &info), "stat");
  need(access(path, R_OK), "access");
  need(fstatfs(fd, &system), "fstatfs");
  need(fsync(fd), "fsync");
  need(fdatasync(fd), "fdatasync");
  need(ftruncate(fd, 100), "ftruncate");
  need(truncate(path, 50), "truncate");
  need(fallocate(fd, 0, 0, 4096), "fallocate");
  need(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL), "fadvise");
  need(readahead(fd, 0, 4096), "readahead");
  need(flock(fd, LOCK_EX), "flock");
  need(fcntl(fd, F_SETLK, &whole), "setlk");
  need(lockf(fd, F_ULOCK, 0), "lockf");
  need(fchmod(fd, 0600), "fchmod");
  need(chmod(path, 0644), "chmod");
  need(futimens(fd, 0), "futimens");
  need(fcntl(fd, F_GETFL), "getfl");
  ioctl(fd, FIONREAD, &value);
  void* memory = mmap(0, 12288, PROT_READ, MAP_SHARED, fd, 0);
  munmap(memory, 12288);
  memory = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  munmap(memory, 4096);
  close(fd);
}

static void errors(const char* path) {
  int fd = open(path, O_RDONLY | O_CREAT, 0644);
  if (write(fd, buffer, 1) != -1) exit(1);
  if (lseek(fd, -1, SEEK_SET) != -1 || ftruncate(fd, 10) != -1) exit(1);
  if (pread(fd, buffer, 1, -1) != -1) exit(1);
  close(fd);
}

static void renamed(const char* path) {
  char other[256];
  int fd = make(path, O_TRUNC);
  need(write(fd, buffer, 1), "write");
  close(fd);
  snprintf(other, sizeof other, "%s.final", path);
  need(rename(path, other), "rename");
}

static void replaced(const char* path) {
  char other[256];
  snprintf(other, sizeof other, "%s.new", path);
  close(make(path, 0));
  close(make(other, 0));
  need(rename(other, path), "rename");
}

static void deleted(const char* path) {
  close(make(path, O_EXCL));
  need(unlink(path), "unlink");
}

static void directory(const char* path) {
  char name[256];
  need(mkdir(path, 0755), "mkdir");
  snprintf(name, sizeof name, "%s/inside", path);
  close(make(name, 0));
  DIR* stream = opendir(path);
  int entries = 0;
  while (readdir(stream)) ++entries;
  closedir(stream);
  if (entries != 3) exit(1);
  int fd = open(path, O_RDONLY | O_DIRECTORY);
  need(getdents64(fd, buffer, sizeof buffer), "getdents64");
  int below = openat(fd, "below", O_WRONLY | O_CREAT, 0644);
  need(write(below, buffer, 5), "write");
  close(below);
  need(fstatat(fd, "below", &(struct stat){0}, 0), "fstatat");
  need(unlinkat(fd, "below", 0), "unlinkat");
  close(fd);
  unlink(name);
  need(rmdir(path), "rmdir");
}

static void relative(const char* path) {
  char name[256];
  need(mkdir(path, 0755), "mkdir");
  need(chdir(path), "chdir");
  int fd = make("here", 0);
  need(write(fd, buffer, 1), "write");
  close(fd);
  fd = make(".././/relative/./here", 0);
  need(write(fd, buffer, 2), "write");
  close(fd);
  need(chdir(".."), "chdir");
  snprintf(name, sizeof name, "%s/here", path);
  fd = make(name, 0);
  need(write(fd, buffer, 3), "write");
  close(fd);
  fd = open(path, O_RDONLY | O_DIRECTORY);
  need(fchdir(fd), "fchdir");
  close(fd);
  fd = make("here", 0);
  need(write(fd, buffer, 4), "write");
  close(fd);
  need(chdir(".."), "chdir");
}

static void linked(const char* path) {
  char other[256];
  snprintf(other, sizeof other, "%s.link", path);
  close(make(path, 0));
  need(symlink(path, other), "symlink");
  int fd = open(other, O_WRONLY);
  need(write(fd, buffer, 2), "write");
  close(fd);
  need(readlink(other, buffer, 100), "readlink");
  snprintf(other, sizeof other, "%s.hard", path);
  need(link(path, other), "link");
}

static void appended(const char* path) {
  int fd = make(path, O_APPEND);
  for (int i = 0; i < 10; ++i) need(write(fd, buffer, 100), "write");
  close(fd);
}

static void sizes(const char* path) {
  int fd = make(path, 0);
  static const int each[] = {0, 1, 2, 3, 4, 5, 4096, 4097, 1 << 20};
  for (unsigned i = 0; i < sizeof each / sizeof *each; ++i) need(write(fd, buffer, (size_t)each[i]), "write");
  for (int i = 0; i < 5; ++i) need(write(fd, buffer, 4096), "write");
  close(fd);
}

static void strides(const char* path) {
  int fd = make(path, 0);
  for (int i = 0; i < 20; ++i) need(pwrite(fd, buffer, 512, 1024 * (i + 1)), "pwrite");
  for (int i = 0; i < 5; ++i) need(pwrite(fd, buffer, 512, 65536 + 4096 * i), "pwrite");
  close(fd);
}

static void copies(const char* path) {
  char other[256];
  snprintf(other, sizeof other, "%s.to", path);
  int in = make(path, 0), out = make(other, 0);
  need(write(in, buffer, 10000), "write");
  need(lseek(in, 0, SEEK_SET), "lseek");
  if (sendfile(out, in, 0, 3000) != 3000) exit(1);
  off_t from = 5000, to = 20000;
  if (copy_file_range(in, &from, out, &to, 1000, 0) != 1000) exit(1);
  close(in), close(out);
}

static void asynchronous(const char* path) {
  int fd = make(path, 0);
  struct aiocb request = {.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 700, .aio_offset = 0};
  const struct aiocb* list[] = {&request};
  need(aio_write(&request), "aio_write");
  while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, 0);
  if (aio_return(&request) != 700) exit(1);
  request.aio_nbytes = 300;
  need(aio_read(&request), "aio_read");
  while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, 0);
  if (aio_return(&request) != 300) exit(1);
  close(fd);
}

static void vectors(const char* path) {
  int fd = make(path, 0);
  struct iovec parts[3] = {{buffer, 10}, {buffer, 20}, {buffer, 30}};
  need(writev(fd, parts, 3), "writev");
  need(pwritev(fd, parts, 2, 100), "pwritev");
  need(preadv(fd, parts, 3, 0), "preadv");
  need(preadv2(fd, parts, 1, 0, 0), "preadv2");
  need(syscall(SYS_pwrite64, fd, buffer, 5, 0), "syscall");
  close(fd);
}

static void temporary(const char* path) {
  char name[256];
  snprintf(name, sizeof name, "%s", path);
  strcpy(name + strlen(name) - 6, "XXXXXX");
  int fd = mkstemp(name);
  need(write(fd, buffer, 1), "write");
  close(fd);
  need(rename(name, path), "rename");
}

static void redirected(const char* path) {
  int saved = dup(1), fd = make(path, 0);
  dup2(fd, 1);
  close(fd);
  need(write(1, buffer, 12), "write");
  dup2(saved, 1);
  close(saved);
  need(write(1, to_stdout, 10), "write");
}

static void sized(const char* path) {
  close(make(path, O_TRUNC));
  need(truncate(path, 12345), "truncate");
}

int main(void) {
  patterns("patterns");
  duplicates("duplicates");
  metadata("metadata");
  errors("errors");
  renamed("renamed");
  replaced("replaced");
  deleted("deleted");
  directory("directory");
  relative("relative");
  linked("linked");
  appended("appended");
  sizes("sizes");
  strides("strides");
  copies("copies");
  asynchronous("asynchronous");
  vectors("vectors");
  temporary("temporary-abcdef");
  redirected("redirected");
  sized("sized");
  int fd = open("existing", O_RDONLY);
  need(read(fd, buffer, 100), "read");
  close(fd);
  if (read(0, buffer, 100) != 5) return 1;
  need(write(2, "oops", 4), "stderr");
  return 0;
}
