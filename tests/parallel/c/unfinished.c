// Finalizes with much still open or under way: "open" leaves a file and communicators; "threads" has threads that go on
// writing files of their own while MPI ends.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;
static const char* place;
static atomic_bool ended;
static atomic_int running;

static void* go_on(void* argument) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.%ld", place, rank, (long)argument);
  int fd = open(path, O_CREAT | O_WRONLY, 0600), after = 0;
  for (long i = 0; i < 10000000 && after < 50; ++i) {
    if (ended) ++after;
    if (write(fd, "0123456789", 10) != 10) return path;
    if (i == 0) ++running;
    if (i > 1000) usleep(100);
  }
  close(fd);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int given;
  MPI_File file;
  MPI_Comm twin, half;
  pthread_t threads[3];
  place = argv[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (!strcmp(argv[1], "open")) {
    char path[4096];
    snprintf(path, sizeof path, "%s/shared", place);
    MPI_File_open(twin, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, rank * 10, "0123456789", 10, MPI_CHAR, MPI_STATUS_IGNORE);
    return MPI_Finalize();
  }
  for (long i = 0; i < 3; ++i) pthread_create(threads + i, NULL, go_on, (void*)i);
  while (running < 3) usleep(100);
  MPI_Finalize();
  ended = 1;
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
