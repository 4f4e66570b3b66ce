// Threads with names: one that ends, one that the end of the process finds at work, one without: named FILE [WRITES].
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;
static sem_t written;

static void* run(void* name) {
  if (name && pthread_setname_np(pthread_self(), name) != 0) _exit(9);
  if (write(file, "abc", 3) != 3) _exit(8);
  return NULL;
}

static void* stay(void* nothing) {
  if (write(file, "abc", 3) != 3) _exit(8);
  if (pthread_setname_np(pthread_self(), "stays \xff here") != 0) _exit(9);
  sem_post(&written);
  while (1) pause();
  return nothing;
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  pthread_t thread;
  file = open(arguments[1], O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (file < 0 || sem_init(&written, 0, 0) != 0) return 2;
  if (pthread_create(&thread, NULL, run, "worker") != 0 || pthread_join(thread, NULL) != 0) return 3;
  if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0) return 4;
  if (pthread_create(&thread, NULL, stay, NULL) != 0 || sem_wait(&written) != 0) return 5;
  for (int i = count > 2 ? atoi(arguments[2]) : 0; i > 0; --i)
    if (pwrite(file, "abc", 3, i) != 3) return 7;
  const pid_t child = fork();
  if (child == 0) {
    run("the child");
    return close(file);
  }
  int status;
  return waitpid(child, &status, 0) == child && status == 0 ? close(file) : 6;
}
