// Rooted operations between two groups of ranks, whose arguments mean nothing at the ranks that only get it or have no
// part: they are no types there. For 3 ranks.
#include <mpi.h>
#include <stddef.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm group, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &both);
  const int root = rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0;
  const MPI_Datatype mine = rank == 2 ? MPI_INT : MPI_DATATYPE_NULL;
  int one = rank, all[4] = {0, 0, 0, 0};
  MPI_Gather(rank == 2 ? &one : NULL, 1, mine, all, 1, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, root, both);
  MPI_Scatter(all, 1, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, rank == 2 ? &one : NULL, 1, mine, root, both);
  MPI_Bcast(&one, 1, MPI_INT, root, both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return 0;
}
