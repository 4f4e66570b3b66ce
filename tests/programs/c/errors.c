// Calls that fail and calls that succeed: prints each result with errno, which a call that succeeds must leave alone.
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wnonnull"
#pragma GCC diagnostic ignored "-Wunused-result"
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <mqueue.h>
#include <poll.h>
#include <pty.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static int lines;
static char* volatile bad = (char*)8;  // no address that a program has; volatile: the compiler must not know

#define SHOW(expression)                                         \
  do {                                                           \
    errno = 77;                                                  \
    long result = (long)(expression);                            \
    int error = errno;                                           \
    dprintf(1, "%-60.60s %ld %d\n", #expression, result, error); \
    ++lines;                                                     \
  } while (0)
/// For results that differ from run to run: only whether there is one.
#define SHOW_TRUTH(expression) SHOW((expression) != 0)

static void failures(void) {
  char buffer[64], long_name[5000];
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[sizeof long_name - 1] = 0;
  struct stat info;
  struct statfs system;
  struct statvfs vsystem;
  struct statx extended;
  struct iovec vector = {buffer, sizeof buffer}, bad_vector = {bad, 8};
  off_t offset = 0;
  int fds[2];
  for (int closed = 900; closed >= -1; closed -= 901) {
    SHOW(read(closed, buffer, 1));
    SHOW(write(closed, buffer, 1));
    SHOW(pread(closed, buffer, 1, 0));
    SHOW(pwrite(closed, buffer, 1, 0));
    SHOW(readv(closed, &vector, 1));
    SHOW(writev(closed, &vector, 1));
    SHOW(preadv(closed, &vector, 1, 0));
    SHOW(pwritev(closed, &vector, 1, 0));
    SHOW(preadv2(closed, &vector, 1, -1, 0));
    SHOW(pwritev2(closed, &vector, 1, -1, 0));
    SHOW(close(closed));
    SHOW(lseek(closed, 0, SEEK_SET));
    SHOW(dup(closed));
    SHOW(dup2(closed, 50));
    SHOW(dup3(closed, 50, O_CLOEXEC));
    SHOW(fcntl(closed, F_GETFD));
    SHOW(fcntl(closed, F_DUPFD, 10));
    SHOW(ioctl(closed, FIONREAD, fds));
    SHOW(fstat(closed, &info));
    SHOW(fstatfs(closed, &system));
    SHOW(fstatvfs(closed, &vsystem));
    SHOW(fpathconf(closed, _PC_NAME_MAX));
    SHOW(fsync(closed));
    SHOW(fdatasync(closed));
    SHOW(syncfs(closed));
    SHOW(sync_file_range(closed, 0, 1, 0));
    SHOW(ftruncate(closed, 0));
    SHOW(fallocate(closed, 0, 0, 1));
    SHOW(posix_fallocate(closed, 0, 1));
    SHOW(posix_fadvise(closed, 0, 1, POSIX_FADV_NORMAL));
    SHOW(readahead(closed, 0, 1));
    SHOW(flock(closed, LOCK_SH));
    SHOW(lockf(closed, F_TLOCK, 0));
    SHOW(fchmod(closed, 0600));
    SHOW(fchown(closed, 0, 0));
    SHOW(futimens(closed, NULL));
    SHOW(fchdir(closed));
    SHOW_TRUTH(fdopendir(closed));
    SHOW_TRUTH(fdopen(closed, "r"));
    SHOW(fgetxattr(closed, "user.x", buffer, 1));
    SHOW(fsetxattr(closed, "user.x", buffer, 1, 0));
    SHOW(flistxattr(closed, buffer, 1));
    SHOW(fremovexattr(closed, "user.x"));
    SHOW(mmap(NULL, 4096, PROT_READ, MAP_SHARED, closed, 0) == MAP_FAILED);
    SHOW(sendfile(closed, closed, NULL, 1));
    SHOW(copy_file_range(closed, NULL, closed, NULL, 1, 0));
    SHOW(splice(closed, NULL, closed, NULL, 1, 0));
    SHOW(tee(closed, closed, 1, 0));
    SHOW(vmsplice(closed, &vector, 1, 0));
    SHOW(accept(closed, NULL, NULL));
    SHOW(openat(closed, "x", O_RDONLY));
    SHOW(getdents64(closed, buffer, sizeof buffer));
  }
  const char* paths[] = {"missing", "missing/below", "/etc/passwd/below", "", long_name, "loop", bad, NULL};
  for (unsigned i = 0; i < sizeof paths / sizeof *paths; ++i) {
    const char* volatile path = paths[i];  // volatile: no conclusions from "nonnull" declarations
    SHOW(open(path, O_RDONLY));
    SHOW(open(path, O_WRONLY | O_DIRECTORY));
    SHOW(openat(AT_FDCWD, path, O_RDONLY));
    SHOW(stat(path, &info));
    SHOW(fstatat(AT_FDCWD, path, &info, 0));
    SHOW(statx(AT_FDCWD, path, 0, STATX_ALL, &extended));
    SHOW(statfs(path, &system));
    SHOW(statvfs(path, &vsystem));
    SHOW(access(path, R_OK));
    SHOW(faccessat(AT_FDCWD, path, R_OK, 0));
    SHOW(truncate(path, 0));
    SHOW(readlink(path, buffer, sizeof buffer) < 0);
    SHOW(unlinkat(AT_FDCWD, path, AT_REMOVEDIR));
    SHOW(rmdir(path));
    SHOW(rename(path, "other"));
    SHOW(renameat2(AT_FDCWD, path, AT_FDCWD, "other", 1));
    SHOW(chmod(path, 0600));
    SHOW(chown(path, 0, 0));
    SHOW(utime(path, NULL));
    SHOW(utimensat(AT_FDCWD, path, NULL, 0) < 0);
    SHOW(chdir(path));
    SHOW(getxattr(path, "user.x", buffer, 1));
    SHOW(removexattr(path, "user.x"));
    SHOW(link(path, "other"));
    SHOW(mkdir(path, 0700) < 0 || rmdir(path) < 0);
    SHOW(execve(path, (char*[]){"x", NULL}, NULL));
    if (path == bad) continue;  // the C library itself reads these names
    SHOW(shm_open(path ? path : "/", O_RDWR, 0));
    SHOW_TRUTH(path ? opendir(path) : NULL);
    SHOW_TRUTH(path ? fopen(path, "r") : NULL);
    SHOW_TRUTH(realpath(path, NULL));
    SHOW(path ? execv(path, (char*[]){"x", NULL}) : 0);
    SHOW(path ? execvp(path, (char*[]){"x", NULL}) : 0);
    pid_t child;
    SHOW(path ? posix_spawn(&child, path, NULL, NULL, (char*[]){"x", NULL}, NULL) : 0);
  }
  SHOW(rename("file", bad));
  SHOW(rename(bad, "file"));
  SHOW(link("file", bad));
  SHOW(symlink("file", bad));
  int fd = open("file", O_RDWR);
  SHOW(read(fd, bad, 8));
  SHOW(write(fd, bad, 8));
  SHOW(pread(fd, buffer, 8, -1));
  SHOW(pwrite(fd, buffer, 8, -1));
  SHOW(readv(fd, (struct iovec*)bad, 1));
  SHOW(writev(fd, (struct iovec*)bad, 1));
  SHOW(preadv(fd, (struct iovec*)bad, 1, 0));
  SHOW(pwritev(fd, (struct iovec*)bad, 1, 0));
  SHOW(preadv2(fd, (struct iovec*)bad, 1, 0, 0));
  SHOW(pwritev2(fd, (struct iovec*)bad, 1, -1, 0));
  SHOW(readv(fd, &bad_vector, 1));
  volatile int count = -1;
  SHOW(readv(fd, &vector, count));
  count = 5000;
  SHOW(readv(fd, &vector, count));
  SHOW(lseek(fd, -1, SEEK_SET));
  SHOW(lseek(fd, 0, 99));
  SHOW(ftruncate(fd, -1));
  SHOW(dup2(fd, -1));
  SHOW(dup3(fd, fd, 0));
  SHOW(fcntl(fd, 9999));
  SHOW(fcntl(fd, F_SETLK, bad));
  SHOW(ioctl(fd, 0x1234, NULL));
  SHOW(fstat(fd, (struct stat*)bad));
  SHOW(mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
  SHOW(copy_file_range(fd, (off_t*)bad, fd, &offset, 1, 0));
  SHOW(sendfile(fd, fd, (off_t*)bad, 1));
  SHOW(syscall(SYS_openat2, AT_FDCWD, "file", NULL, sizeof(struct open_how)));
  SHOW(syscall(SYS_openat2, AT_FDCWD, "file", bad, 1));
  SHOW(syscall(SYS_read, 900, buffer, 1));
  SHOW(syscall(SYS_preadv2, fd, bad, 1, 0L, 0L, 0));
  SHOW(syscall(SYS_pwritev2, fd, bad, 1, 0L, 0L, -1));
  SHOW(syscall(SYS_splice, fd, NULL, fd, NULL, 1L, 0));
  SHOW(syscall(SYS_mkdirat, AT_FDCWD, bad, 0700));
  SHOW(syscall(SYS_newfstatat, AT_FDCWD, "missing", bad, 0));
  SHOW(syscall(SYS_statx, AT_FDCWD, bad, 0, 0, bad));
  SHOW(syscall(SYS_chdir, bad));
  SHOW(syscall(SYS_readlinkat, AT_FDCWD, "file", buffer, 0L));
  SHOW(syscall(SYS_execveat, AT_FDCWD, "missing", NULL, NULL, 0));
  SHOW(syscall(SYS_openat, AT_FDCWD, bad, 0));
  SHOW(syscall(SYS_close_range, 9, 8, 0));
  SHOW(syscall(99999));
  SHOW(pipe((int*)bad));
  SHOW(pipe2(fds, -1));
  SHOW(socketpair(AF_INET, SOCK_STREAM, 0, fds));
  SHOW(socket(-1, 0, 0));
  SHOW(recvmsg(fd, (struct msghdr*)bad, 0));
  SHOW(epoll_create1(-1));
  SHOW(eventfd(0, -1));
  SHOW(timerfd_create(-1, 0));
  SHOW(signalfd(-1, NULL, -1));
  SHOW(inotify_init1(-1));
  SHOW(memfd_create(bad, 0));
  SHOW(memfd_create("x", -1));
  SHOW(mq_open("no-slash", O_RDONLY));
  SHOW(mq_close(900));
  SHOW(closedir(NULL));
  SHOW(mkstemp((char[]){"no-pattern"}));
  SHOW_TRUTH(mkdtemp((char[]){"no-pattern"}));
  SHOW(close_range(9, 8, 0));
  struct aiocb request = {.aio_fildes = 900, .aio_buf = buffer, .aio_nbytes = 1};
  SHOW(aio_read(&request));
  SHOW(aio_fsync(12345, &request));
  close(fd);
}

static void successes(void) {
  char buffer[64] = "text";
  struct stat info;
  struct iovec vector = {buffer, 4};
  int fds[2];
  SHOW(mkdir("made", 0755));
  int fd = open("made/f", O_CREAT | O_RDWR, 0600);
  SHOW(write(fd, buffer, 4));
  SHOW(writev(fd, &vector, 1));
  SHOW(lseek(fd, 1, SEEK_SET));
  SHOW(read(fd, buffer, 2));
  SHOW(readv(fd, &vector, 1));
  SHOW(read(fd, buffer, 60));
  SHOW(read(fd, buffer, 60));
  SHOW(pwrite(fd, buffer, 0, 9));
  SHOW(fstat(fd, &info));
  SHOW(stat("made/f", &info));
  SHOW(ftruncate(fd, 2));
  SHOW(fsync(fd));
  SHOW(flock(fd, LOCK_SH));
  SHOW(dup2(fd, 60));
  SHOW(dup2(60, 60));
  SHOW(fcntl(60, F_GETFD));
  SHOW(close(60));
  SHOW(fchmod(fd, 0640));
  SHOW(rename("made/f", "made/g"));
  SHOW(symlink("g", "made/link"));
  SHOW(readlink("made/link", buffer, sizeof buffer));
  SHOW(access("made/link", R_OK));
  SHOW(unlink("made/link"));
  SHOW(pipe(fds) || close(fds[0]) || close(fds[1]));
  SHOW(close_range(70, 80, 0));
  SHOW(close(fd));
  DIR* directory = opendir("made");
  SHOW_TRUTH(readdir(directory));
  SHOW_TRUTH(readdir(directory));
  SHOW_TRUTH(readdir(directory));
  SHOW_TRUTH(readdir(directory));
  SHOW(closedir(directory));
  SHOW(chdir("made"));
  SHOW(unlink("g"));
  SHOW(chdir(".."));
  SHOW(rmdir("made"));
  FILE* stream = fopen("stream", "w");
  SHOW(fputs("text", stream));
  SHOW(fclose(stream));
  SHOW(system("exit 3"));
  stream = popen("exit 4", "r");
  SHOW(pclose(stream));
  char* memory;
  size_t size;
  stream = open_memstream(&memory, &size);
  SHOW(fclose(stream));
}

int main(void) {
  close(open("file", O_CREAT | O_RDWR, 0600));
  if (symlink("loop", "loop") != 0) return 2;
  failures();
  successes();
  return lines > 300 ? 0 : 3;
}
