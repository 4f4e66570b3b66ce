// Ways for a parallel program to end besides MPI_Finalize; every rank first writes 1000 bytes to the shared file.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_File file;
static int rank;

static void* write_often(void* argument) {
  char bytes[100] = {0};
  long thread = (long)argument;
  for (int i = 0; i < 50; ++i)
    MPI_File_write_at(file, (rank * 4 + thread) * 5000 + i * 100, bytes, 100, MPI_CHAR, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int given;
  char bytes[1000] = {0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  if (!strcmp(argv[1], "threads")) {
    if (given != MPI_THREAD_MULTIPLE) return 77;
    pthread_t threads[4];
    for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, write_often, (void*)i);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    MPI_File_close(&file);
    return MPI_Finalize();
  }
  MPI_File_write_at(file, rank * 1000, bytes, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(argv[1], "abort")) {
    if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 5);
    pause();
  }
  if (!strcmp(argv[1], "kill")) {
    if (rank == 1) raise(SIGKILL);
    pause();
  }
  if (!strcmp(argv[1], "exit")) _exit(0);  // neither closed nor finalized
  MPI_File_close(&file);
  MPI_Finalize();
  if (!strcmp(argv[1], "after")) {
    FILE* late = fopen(strcat(argv[2], ".late"), "a");
    if (!late || fprintf(late, "%d\n", rank) < 0 || fclose(late) != 0) return 3;
  }
  return 0;
}
