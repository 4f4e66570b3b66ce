// Hands descriptors of one open file to a child by every call that can, and both go on at its position.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kEach = 10 };

static void check(int right, const char* what) {
  if (right) return;
  perror(what);
  _exit(1);
}

static void prepare(struct msghdr* message, struct iovec* part, char* byte, char* room, size_t size) {
  *part = (struct iovec){byte, 1};
  *message = (struct msghdr){.msg_iov = part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = size};
}

static void send_two(int to, int first, int second) {
  char byte = 'x', room[CMSG_SPACE(2 * sizeof(int))] = {0};
  struct iovec part;
  struct msghdr message;
  prepare(&message, &part, &byte, room, sizeof room);
  struct cmsghdr* control = CMSG_FIRSTHDR(&message);
  *control = (struct cmsghdr){CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(control), (int[]){first, second}, 2 * sizeof(int));
  check(sendmsg(to, &message, 0) == 1, "sendmsg");
}

static void put(int fd, const char* text) { check(write(fd, text, kEach) == kEach, "write"); }

static void use(struct msghdr* message, const char* text) {
  int got[2];
  memcpy(got, CMSG_DATA(CMSG_FIRSTHDR(message)), sizeof got);
  put(got[0], text);
  char back[kEach];
  check(pread(got[1], back, kEach, 0) == kEach && memcmp(back, "the opener", kEach) == 0, "read");
  close(got[0]);
  close(got[1]);
}

int main(int count, char** words) {
  if (count < 2) return 2;
  const int file = open(words[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), copy = dup(file);
  int pair[2], status;
  check(file >= 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "open");
  put(file, "the opener");
  fflush(stdout);
  const pid_t parent = getpid(), child = fork();
  if (child == 0) {
    close(file), close(copy);
    char byte[3], room[3][CMSG_SPACE(2 * sizeof(int))];
    struct iovec part[3];
    struct mmsghdr messages[3] = {0};
    for (int i = 0; i < 3; ++i) prepare(&messages[i].msg_hdr, &part[i], &byte[i], room[i], sizeof room[i]);
    check(recvmsg(pair[1], &messages[0].msg_hdr, MSG_CMSG_CLOEXEC) == 1, "recvmsg");
    use(&messages[0].msg_hdr, "by recvmsg");
    check(recvmmsg(pair[1], messages + 1, 2, 0, NULL) == 2, "recvmmsg");
    use(&messages[1].msg_hdr, "recvmmsg 1");
    use(&messages[2].msg_hdr, "recvmmsg 2");
    const int process = (int)syscall(SYS_pidfd_open, parent, 0);
    const int same = pidfd_getfd(process, file, 0);
    if (same < 0) _exit(3);  // not allowed here
    put(same, "pidfdgetfd");
    check(lseek(same, 0, SEEK_CUR) == 5 * kEach, "position");
    _exit(0);
  }
  send_two(pair[0], file, copy);
  send_two(pair[0], copy, file);
  send_two(pair[0], file, file);
  check(waitpid(child, &status, 0) == child && WIFEXITED(status), "child");
  put(copy, "the parent");
  printf("%d, %ld\n", WEXITSTATUS(status), (long)lseek(file, 0, SEEK_CUR));
  return 0;
}
