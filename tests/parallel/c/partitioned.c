// Rank 0 sends a message of eight parts to rank 1, three times.
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, there = 0, list[2] = {6, 7};
  double values[8 * 5] = {0};
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    MPI_Psend_init(values, 8, 5, MPI_DOUBLE, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(values, 8, 5, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&request);
    if (rank == 0) {
      for (int part = 0; part < 4; ++part) MPI_Pready(part, request);
      MPI_Pready_range(4, 5, request);
      MPI_Pready_list(2, list, request);
    } else {
      while (!there) MPI_Parrived(request, 2, &there);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  return MPI_Finalize();
}
