// Forks while other threads close files: children, which have none of these threads, close what they inherited.
//   forks_while_closing FILE FORKS
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ended;

static void* close_again_and_again(void* name) {
  int file = open(name, O_RDWR | O_CREAT, 0600);
  assert(file >= 0);
  // A file that is closed gives the locks of the process back, so each close has to look for them once there were any.
  while (!ended) close(dup(file));
  close(file);
  return NULL;
}

// Whether a child ends by itself; signals that it gets in a call that does not return wait for that.
static int ends(pid_t child) {
  int status;
  for (int i = 0; i < 20000; ++i, usleep(1000))
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return 0;
}

int main(int count, char** words) {
  assert(count == 3);
  pthread_t threads[2];
  int file = open(words[1], O_RDWR | O_CREAT, 0600);
  assert(file >= 0 && lockf(file, F_LOCK, 1) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, close_again_and_again, words[1]) == 0);
  for (int i = atoi(words[2]); i > 0; --i) {
    pid_t child = fork();
    assert(child >= 0);
    if (child == 0) {
      close(file);
      _exit(0);
    }
    assert(ends(child));
  }
  ended = 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
