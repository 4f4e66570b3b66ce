// Rank 0 sends rank 1 three messages, of which one is received; then the program ends as it is told: "abort" by
// MPI_Abort, "kill" by a signal that one rank gets, "finalize" as it should.
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int rank, number = 7;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int all = !strcmp(argv[1], "finalize");
  for (int i = 0; rank == 0 && i < 3; ++i) MPI_Send(&number, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  for (int i = 0; rank == 1 && i < (all ? 3 : 1); ++i)
    MPI_Recv(&number, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (all) return MPI_Finalize();
  if (!strcmp(argv[1], "abort") && rank == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  if (!strcmp(argv[1], "kill") && rank == 1) raise(SIGKILL);
  pause();
}
