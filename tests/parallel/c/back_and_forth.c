// Every rank sends to the next one and receives from the one before, for some tenths of a second. With an argument the
// ranks do not come to MPI_Finalize.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, ranks, value = 0;
  (void)argv;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 100; ++i) {
    usleep(2000);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, i, &value, 1, MPI_INT, (rank + ranks - 1) % ranks, i,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) {
    usleep(100000);  // the others are there, too
    _exit(0);
  }
  MPI_Finalize();
  return 0;
}
