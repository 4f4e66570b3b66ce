// Ranks that do unlike much between collective operations over all of them.
//   meetings DIRECTORY ROUNDS CALLS HOW
// HOW: world, same (a duplicate of it), threads (MPI_THREAD_MULTIPLE, each thread with a communicator of its own), or
// levels (a duplicate, and only every other rank with MPI_THREAD_MULTIPLE)
#include <assert.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, rounds, calls;
static const char* directory;

static void work(MPI_Comm over, int thread, int share) {
  char path[4096], byte = 0;
  snprintf(path, sizeof path, "%s/data.%d.%d", directory, rank, thread);
  int file = open(path, O_RDWR | O_CREAT, 0600);
  assert(file >= 0);
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < calls * share; ++k) assert(pwrite(file, &byte, 1, k % 4096) == 1);
    int mine = rank + i, sum = -1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, over);
    assert(sum == ranks * (ranks - 1) / 2 + i * ranks);
    // A message that another rank waits for, across a place where flushes come.
    int from = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % ranks, thread, &from, 1, MPI_INT, (rank + ranks - 1) % ranks, thread,
                 over, MPI_STATUS_IGNORE);
    assert(from == (rank + ranks - 1) % ranks + i);
  }
  close(file);
}

static void* in_thread(void* over) {
  work(*(MPI_Comm*)over, 1, 1);
  return NULL;
}

int main(int count, char** words) {
  assert(count == 5);
  directory = words[1];
  rounds = atoi(words[2]);
  calls = atoi(words[3]);
  int level, threads = strcmp(words[4], "threads") == 0, levels = strcmp(words[4], "levels") == 0;
  const char* number = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  const int multiple = threads || (levels && number && atoi(number) % 2);
  MPI_Init_thread(&count, &words, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm over = MPI_COMM_WORLD, half;
  if (strcmp(words[4], "same") == 0 || levels) MPI_Comm_dup(MPI_COMM_WORLD, &over);
  // What is over some of them alone counts at none.
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int i = 0; i < rank; ++i) MPI_Barrier(half == MPI_COMM_NULL ? half : MPI_COMM_SELF);
  if (threads && level == MPI_THREAD_MULTIPLE) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    pthread_t thread;
    assert(pthread_create(&thread, NULL, in_thread, &other) == 0);
    work(over, 0, 1);
    pthread_join(thread, NULL);
    MPI_Comm_free(&other);
  } else {
    work(over, 0, rank + 1);
  }
  MPI_Comm_free(&half);
  if (over != MPI_COMM_WORLD) MPI_Comm_free(&over);
  MPI_Finalize();
  return 0;
}
