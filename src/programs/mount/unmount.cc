#include "programs/mount/unmount.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forward/mount/control.h"

namespace headrace::programs {
namespace {

/// An error number, or 0. The kernel asks who is no root to let another program do it.
int take_away(const std::string& directory) {
  if (geteuid() == 0) return umount2(directory.c_str(), UMOUNT_NOFOLLOW) == 0 ? 0 : errno;
  const pid_t child = fork();
  if (child == 0) {
    execlp("fusermount3", "fusermount3", "-u", "--", directory.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return errno;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EBUSY;
}

void wait_for_end(int process) {
  pollfd wait = {process, POLLIN, 0};
  while (process >= 0 && poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace

int unmount(const std::string& directory) {
  forward::mount::Report report = {};
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int process = -1;
  bool asked = false;
  if (fd >= 0) {
    syncfs(fd);  // what maps of memory have changed
    asked = ioctl(fd, forward::mount::kFinish, &report) == 0;
    if (!asked && errno == ENOTTY) {
      fprintf(stderr, "headrace: mount: %s: is no mount of headrace\n", directory.c_str());
      close(fd);
      return 1;
    }
    if (asked) process = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(report.process), 0));
    close(fd);
  }
  const int error = take_away(directory);
  if (error != 0) {
    fprintf(stderr, "headrace: mount: %s: %s%s\n", directory.c_str(), strerror(error),
            error == EBUSY ? "; a program has a file there open, or works there" : "");
    return 1;
  }
  wait_for_end(process);
  if (!asked) {
    fprintf(stderr, "headrace: mount: %s: whether all was stored is not known: %s\n", directory.c_str(), strerror(EIO));
    return 1;
  }
  report.lost[sizeof report.lost - 1] = '\0';
  for (char* line = strtok(report.lost, "\n"); line != nullptr; line = strtok(nullptr, "\n"))
    fprintf(stderr, "headrace: mount: %s\n", line);
  return report.lost[0] == '\0' ? 0 : 1;
}

}  // namespace headrace::programs
