// A timer's handler leaves interrupted I/O with siglongjmp, some thousand times. Afterwards 1,000 writes to "after".
// With an argument the handler does I/O of its own first; with "stack" it runs on another stack.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf home;
static volatile int jumps, armed, with_io;

static void handler(int number) {
  int saved = errno;
  (void)number;
  if (with_io) {
    int fd = open("from-handler", O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (fd < 0 || write(fd, "h", 1) != 1) _exit(9);
    close(fd);
  }
  ++jumps;
  errno = saved;
  if (armed) siglongjmp(home, 1);
}

static void work(int depth, unsigned round) {
  char name[40], text[64], padding[512];
  memset(padding, (int)round, sizeof padding);
  if (depth > 0) return work(depth - 1, round);
  snprintf(name, sizeof name, "file%u", round % 3000);
  int fd = open(name, O_CREAT | O_RDWR, 0600);
  if (fd < 0) _exit(8);
  for (int i = 0; i < 20; ++i)
    if (write(fd, padding, (size_t)i + 1) < 0) _exit(7);
  lseek(fd, 0, SEEK_SET);
  if (read(fd, text, sizeof text) < 0) _exit(6);
  close(fd);
  if (round % 16 == 0) {
    rename(name, "renamed");
    unlink("renamed");
  }
}

int main(int count, char** arguments) {
  const int wanted = 1500;
  with_io = count > 1;
  struct sigaction action = {.sa_handler = handler};
  if (count > 1 && strcmp(arguments[1], "stack") == 0) {
    static char memory[65536];
    sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = sizeof memory}, NULL);
    action.sa_flags = SA_ONSTACK;
  }
  sigaction(SIGALRM, &action, NULL);
  volatile unsigned round = 0;
  while (jumps < wanted) {
    if (sigsetjmp(home, 1) == 0) {
      armed = 1;
      struct itimerval once = {{0, 0}, {0, 50 + round * 7919 % 900}};
      setitimer(ITIMER_REAL, &once, NULL);
      for (;; ++round) work((int)(round % 5), round);
    }
    armed = 0;
    closefrom(3);  // what was open when the jump came
  }
  int fd = open("after", O_CREAT | O_WRONLY, 0600);
  for (int i = 0; i < 1000; ++i)
    if (write(fd, "x", 1) != 1) return 5;
  close(fd);
  printf("jumped %d times\n", jumps >= wanted);
  return 0;
}
