/* The first thread does nothing that counts before another one does, and one of them forks. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* directory;

static void touch(const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  if (fd < 0 || close(fd) != 0) exit(2);
}

static void* work(void* unused) {
  (void)unused;
  touch("second");
  pid_t child = fork();
  if (child == 0) {
    touch("child");
    _exit(0);
  }
  waitpid(child, NULL, 0);
  return NULL;
}

int main(int count, char** words) {
  pthread_t thread;
  if (count < 2) return 1;
  directory = words[1];
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  pthread_join(thread, NULL);
  touch("first");
  return 0;
}
