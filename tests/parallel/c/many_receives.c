// Receives as many messages of four bytes from the other rank as it is told to, all waited for at once.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int count = atoi(argv[1]);
  int rank, value = 0, *values = calloc((size_t)count, sizeof *values);
  MPI_Request* requests = calloc((size_t)count, sizeof *requests);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < count; ++i) MPI_Irecv(values + i, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests + i);
  for (int i = 0; i < count; ++i) MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  return MPI_Finalize();
}
