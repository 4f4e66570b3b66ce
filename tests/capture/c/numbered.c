/* Calls by number that have a function of their own in the C library: what they move, where they lead, what they start.
 * Runs in an empty directory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void need(int ok, const char* what) {
  if (ok) return;
  perror(what);
  _exit(1);
}

int main(void) {
  char buffer[64] = "0123456789";
  struct iovec two[2] = {{buffer, 10}, {buffer, 5}};
  struct stat found;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, "a", O_CREAT | O_RDWR, 0600);
  need(syscall(SYS_pwritev, file, two, 2, 100L, 0L) == 15, "pwritev");
  need(syscall(SYS_pwritev2, file, two, 2, 200L, 0L, 0) == 15, "pwritev2");
  need(syscall(SYS_pwritev2, file, two, 1, -1L, -1L, 0) == 10, "pwritev2 at the position");
  need(syscall(SYS_preadv, file, two, 2, 100L, 0L) == 15, "preadv");
  need(syscall(SYS_preadv2, file, two, 2, -1L, -1L, 0) == 15, "preadv2 at the position");
  int ends[2];
  need(pipe(ends) == 0 && write(ends[1], buffer, 7) == 7, "pipe");
  long long at = 300;
  need(syscall(SYS_splice, ends[0], NULL, file, &at, 7L, 0) == 7, "splice");
  need(syscall(SYS_truncate, "a", 1000L) == 0, "truncate");
  need(syscall(SYS_newfstatat, file, "", &found, AT_EMPTY_PATH) == 0 && found.st_size == 1000, "fstatat");
  need(syscall(SYS_mkdirat, AT_FDCWD, "below", 0700) == 0, "mkdirat");
  const int here = open(".", O_RDONLY | O_DIRECTORY);
  need(syscall(SYS_chdir, "below") == 0, "chdir");
  const int relative = (int)syscall(SYS_openat, AT_FDCWD, "relative", O_CREAT | O_WRONLY, 0600);
  need(write(relative, buffer, 3) == 3, "write");
  need(syscall(SYS_linkat, AT_FDCWD, "relative", here, "linked", 0) == 0, "linkat");
  need(syscall(SYS_fchdir, here) == 0, "fchdir");
  const int back = open("back", O_CREAT | O_WRONLY, 0600);
  need(write(back, buffer, 4) == 4, "write");
  const pid_t child = fork();
  if (child == 0) {
    char* const arguments[] = {"sh", "-c", "echo x > child", NULL};
    syscall(SYS_execveat, AT_FDCWD, "/bin/sh", arguments, environ, 0);
    _exit(1);
  }
  int status = 1;
  need(waitpid(child, &status, 0) == child && status == 0, "execveat");
  return 0;
}
