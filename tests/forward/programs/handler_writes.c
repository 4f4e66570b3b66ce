// A signal's handler writes to a file while the program is inside malloc, most of the time.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static int file;
static volatile sig_atomic_t written;

static void on_signal(int number) {
  (void)number;
  if (write(file, "tick\n", 5) == 5) ++written;
}

int main(int count, char** arguments) {
  struct sigaction action = {0};
  const struct itimerval often = {{0, 500}, {0, 500}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  (void)count;
  file = open(arguments[1], O_WRONLY | O_CREAT, 0600);
  action.sa_handler = on_signal;
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &often, 0);
  while (written < 100) {
    void* some[64];
    for (int i = 0; i < 64; ++i) some[i] = malloc((size_t)1 << (i % 20));
    for (int i = 0; i < 64; ++i) free(some[i]);
  }
  setitimer(ITIMER_REAL, &never, 0);
  if (lseek(file, 0, SEEK_CUR) != 5 * written) return 1;
  return close(file);
}
