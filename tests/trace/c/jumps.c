// Writes while a signal handler jumps out of whatever it interrupts: jumps FILE JUMPS. Prints how many writes returned.
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t jumps;
static volatile uint64_t returned;

static void jump(int signal) {
  (void)signal;
  ++jumps;
  siglongjmp(back, 1);
}

int main(int count, char** arguments) {
  const struct itimerval often = {{0, 60}, {0, 60}}, never = {{0, 0}, {0, 0}};
  struct sigaction action = {.sa_handler = jump};
  if (count != 3) return 2;
  const int file = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0600), wanted = atoi(arguments[2]);
  if (file < 0 || sigaction(SIGALRM, &action, NULL) != 0) return 2;
  if (sigsetjmp(back, 1) == 0) setitimer(ITIMER_REAL, &often, NULL);
  while (jumps < wanted) {
    if (pwrite(file, "12345678", 8, 0) != 8) return 3;
    ++returned;
  }
  setitimer(ITIMER_REAL, &never, NULL);
  if (sigsetjmp(back, 1) == 0) pwrite(file, "12345678", 8, 0);
  printf("%llu\n", (unsigned long long)returned);
  return 0;
}
