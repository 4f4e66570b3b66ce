// handler_forks FILE COUNT: writes numbers to FILE through a stream, which takes so little time that many of a timer's
// signals come while a call is recorded. The handler forks COUNT children, one after the other, which go on with what
// was interrupted, write some more and end. Prints how many numbers the parent wrote.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t left, is_child, failed;

static void fork_here(int number) {
  (void)number;
  if (left == 0 || is_child) return;
  left = left - 1;
  const pid_t child = fork();
  is_child = child == 0;
  int status = 0;
  if (child != 0 && (waitpid(child, &status, 0) != child || status != 0)) failed = 1;
}

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  FILE* stream = fopen(argv[1], "w");
  left = atoi(argv[2]);
  if (!stream || signal(SIGALRM, fork_here) == SIG_ERR) return 1;
  const struct itimerval often = {{0, 500}, {0, 500}};
  if (setitimer(ITIMER_REAL, &often, NULL) != 0) return 1;
  unsigned long written = 0;
  for (unsigned long more = 20; left != 0 && more != 0; ++written, more -= (unsigned long)is_child)
    if (fwrite(&written, sizeof written, 1, stream) != 1) return 2;
  if (is_child) _exit(0);
  printf("%lu\n", written);
  return failed;
}
