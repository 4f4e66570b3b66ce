/* One thread writes to a pipe, another closes both ends as soon as it has read that: closing FILE COUNT.
 * Every second time it opens FILE at once, which may take their place. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static long count;
static const char* path;
static pthread_barrier_t begun, over;

static void* read_and_close(void* unused) {
  for (long i = 0; i < count; ++i) {
    char byte;
    pthread_barrier_wait(&begun);
    if (read(ends[0], &byte, 1) != 1 || close(ends[1]) != 0 || close(ends[0]) != 0) exit(2);
    int fd = i % 2 ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    pthread_barrier_wait(&over);
    if (fd >= 0 && (pwrite(fd, "abc", 3, 0) != 3 || close(fd) != 0)) exit(4);
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t reader;
  if (argc < 3) return 1;
  path = argv[1];
  count = atol(argv[2]);
  pthread_barrier_init(&begun, 0, 2);
  pthread_barrier_init(&over, 0, 2);
  pthread_create(&reader, 0, read_and_close, 0);
  for (long i = 0; i < count; ++i) {
    if (pipe(ends) != 0) return 3;
    pthread_barrier_wait(&begun);
    if (write(ends[1], "x", 1) != 1) return 3;
    pthread_barrier_wait(&over);
  }
  pthread_join(reader, 0);
  return 0;
}
