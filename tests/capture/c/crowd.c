/* Threads by the hundred that all live at once, in waves, each on the same files.
 *
 *   crowd DIR THREADS FILES WAVES ROUNDS PROCESSES
 *
 * Every thread of every wave of every process does this ROUNDS times with each file: DIR/pN is opened, gets two writes
 * of 10 bytes and one of 1 to 500, is read twice at the beginning (4 bytes) and closed; DIR/sN is opened as a stream,
 * gets three fwrite of 7 bytes and is closed. All threads of a wave meet while their first file is open, and at the
 * end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* directory;
static long threads, files, waves, rounds, processes;
static pthread_barrier_t meeting;

static void expect(int is_fine, const char* what) {
  if (is_fine) return;
  fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
  _exit(97);
}

static void use(long file, long number, int meet) {
  char path[4200], bytes[512] = "";
  snprintf(path, sizeof path, "%s/p%ld", directory, file);
  const int fd = open(path, O_RDWR | O_CREAT, 0644);
  expect(fd >= 0, path);
  if (meet) pthread_barrier_wait(&meeting);
  const size_t size = (size_t)(number * 37 % 500) + 1;
  expect(write(fd, bytes, 10) == 10 && write(fd, bytes, 10) == 10, "write");
  expect(write(fd, bytes, size) == (ssize_t)size, "write");
  expect(pread(fd, bytes, 4, 0) == 4 && pread(fd, bytes, 4, 0) == 4, "pread");
  expect(close(fd) == 0, "close");
  snprintf(path, sizeof path, "%s/s%ld", directory, file);
  FILE* stream = fopen(path, "a");
  expect(stream != NULL, path);
  for (int i = 0; i < 3; i++) expect(fwrite(bytes, 1, 7, stream) == 7, "fwrite");
  expect(fclose(stream) == 0, "fclose");
}

static void* work(void* argument) {
  const long number = (long)argument;
  for (long round = 0; round < rounds; round++)
    for (long i = 0; i < files; i++) use((number + i) % files, number + round, round == 0 && i == 0);
  pthread_barrier_wait(&meeting);
  return NULL;
}

static void waves_of_threads(void) {
  pthread_t* started = calloc((size_t)threads, sizeof *started);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  pthread_barrier_init(&meeting, NULL, (unsigned)threads);
  for (long wave = 0; wave < waves; wave++) {
    for (long i = 0; i < threads; i++)
      if ((errno = pthread_create(&started[i], &small, work, (void*)i)) != 0) expect(0, "pthread_create");
    for (long i = 0; i < threads; i++) pthread_join(started[i], NULL);
  }
  free(started);
}

int main(int count, char** values) {
  expect(count == 7, "arguments");
  directory = values[1];
  threads = atol(values[2]), files = atol(values[3]), waves = atol(values[4]), rounds = atol(values[5]);
  processes = atol(values[6]);
  struct rlimit open_files;
  getrlimit(RLIMIT_NOFILE, &open_files);
  open_files.rlim_cur = open_files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &open_files);
  for (long i = 1; i < processes; i++) {
    const pid_t child = fork();
    expect(child >= 0, "fork");
    if (child == 0) {
      waves_of_threads();
      exit(0);
    }
  }
  waves_of_threads();
  for (long i = 1; i < processes; i++) {
    int status = 0;
    expect(wait(&status) > 0 && status == 0, "a child");
  }
  return 0;
}
