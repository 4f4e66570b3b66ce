// watchful FILE: writes much, and looks for anything that another part of its process might do: children, signals,
// descriptors, errno. Then two children of it write as much, one of them while a thread of it writes.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWrites = 40000, kDescriptors = 64 };

static int file;
static volatile sig_atomic_t signals;

static void count_signal(int signal) {
  (void)signal;
  ++signals;
}

static unsigned long open_descriptors(void) {
  unsigned long found = 0;
  for (int i = 0; i < kDescriptors; ++i) found |= (unsigned long)(fcntl(i, F_GETFD) >= 0) << i;
  return found;
}

static void* write_much(void* unused) {
  (void)unused;
  for (int i = 0; i < kWrites; ++i) {
    errno = i % 100;
    if (pwrite(file, &i, sizeof i, (off_t)(i % 1000) * 4) != sizeof i || errno != i % 100) _exit(2);
  }
  return NULL;
}

int main(int count, char** values) {
  if (count != 2) return 1;
  struct sigaction action = {.sa_handler = count_signal};
  sigaction(SIGCHLD, &action, NULL);
  file = open(values[1], O_RDWR | O_CREAT, 0600);
  const unsigned long descriptors = open_descriptors();
  write_much(NULL);
  if (open_descriptors() != descriptors) return 3;
  if (signals != 0) return 4;
  if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD) return 5;
  pthread_t thread;
  for (int child = 0; child < 2; ++child) {
    if (child == 1 && pthread_create(&thread, NULL, write_much, NULL) != 0) return 6;
    const pid_t made = fork();
    if (made == 0) {
      write_much(NULL);
      _exit(0);
    }
    int status = 0;
    while (waitpid(made, &status, 0) != made)
      if (errno != EINTR) return 7;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 8;
  }
  pthread_join(thread, NULL);
  return signals >= 1 && signals <= 2 ? 0 : 9;
}
