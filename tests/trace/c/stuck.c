// Threads that hang, each in another call: stuck FIFO. Says when it begins; who kills it looks whether all wait.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char* fifo;
static char other[4096], locked[4096];

static void* in_open(void* unused) {
  (void)unused;
  open(other, O_RDONLY);  // nobody writes it
  return NULL;
}

static void* in_lock(void* unused) {
  (void)unused;
  flock(open(locked, O_RDWR), LOCK_EX);
  return NULL;
}

static void* in_stream(void* unused) {
  (void)unused;
  char line[64];
  FILE* stream = fopen(fifo, "r+");
  if (fgets(line, sizeof line, stream) == NULL) perror("fgets");
  return NULL;
}

static int pipe_of_handler[2];
static void handle(int unused) {
  (void)unused;
  const int saved = errno;
  if (write(pipe_of_handler[1], "x", 1) != 1) _exit(9);
  errno = saved;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const int exits = strcmp(words[2], "exit") == 0;
  fifo = words[1];
  snprintf(other, sizeof other, "%s.other", fifo);
  snprintf(locked, sizeof locked, "%s.locked", fifo);
  const int holder = open(locked, O_RDWR | O_CREAT, 0600);
  if (holder < 0 || flock(holder, LOCK_EX) != 0 || pipe(pipe_of_handler) != 0) return 3;
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, in_open, NULL);
  pthread_create(&threads[1], NULL, in_lock, NULL);
  pthread_create(&threads[2], NULL, in_stream, NULL);
  if (exits) {
    char word[8];
    return read(STDIN_FILENO, word, sizeof word) < 0;  // until it is to end
  }
  signal(SIGUSR1, handle);  // BSD's way: the read goes on
  char buffer[64];
  const int descriptor = open(fifo, O_RDWR);
  printf("%d\n", (int)read(descriptor, buffer, sizeof buffer));
  return 0;
}
