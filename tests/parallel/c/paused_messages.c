// Rank 0 sends two messages to rank 1, and is not recorded while it sends the second one.
#include <headrace/trace.h>
#include <mpi.h>
#include <stddef.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; ++i) {
    if (rank == 0 && i == 1) headrace_trace_pause();
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) headrace_trace_resume();
  MPI_Finalize();
  return 0;
}
