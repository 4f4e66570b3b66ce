// Receives whose requests are to be freed, which fails, and are waited for then.
#include <mpi.h>
#include <stddef.h>

int main(void) {
  int rank, value = 0, failed = 0;
  MPI_Request request;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) {
    if (rank == 0) {
      MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    } else {
      MPI_Irecv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &request);
      failed += MPI_Request_free(&request) != MPI_SUCCESS;
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return rank == 1 && failed != 5;
}
