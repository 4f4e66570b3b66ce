// A handler of a timer's signals writes to a forwarded file while a stream on another one is used.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static int file;
static volatile long handled, failed;

static void handle(int number) {
  (void)number;
  if (pwrite(file, "x", 1, 0) != 1) ++failed;
  ++handled;
}

int main(int count, char** values) {
  if (count != 3 || chdir(values[1]) != 0) return 1;
  file = open("handled", O_RDWR | O_CREAT, 0600);
  FILE* stream = fopen("stream", "w+");
  if (file < 0 || stream == NULL) return 2;
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 40}, {0, 40}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (const long all = atol(values[2]); handled < all;) {
    rewind(stream);
    if (fputc('a', stream) != 'a' || fflush(stream) != 0) return 3;
    rewind(stream);
    if (fgetc(stream) != 'a') return 4;
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
  return fclose(stream) == 0 && failed == 0 ? 0 : 5;
}
