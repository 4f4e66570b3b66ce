// Two ranks start two more. One of each makes a communicator that has as many ranks as their worlds, and works in it
// while the others do not.
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, sum;
  MPI_Comm parent, between, all, pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  between = parent;
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
  MPI_Comm_split(all, rank == 0 ? 0 : MPI_UNDEFINED, 0, &pair);
  for (int i = 0; i < 24 && rank == 0; ++i) MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, pair);
  if (rank == 0) MPI_Comm_free(&pair);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  return MPI_Finalize();
}
