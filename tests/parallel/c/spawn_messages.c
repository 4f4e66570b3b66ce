// Two ranks start three of the same program. The three pass messages round, and one comes from their parents, as does
// another after the two groups became one.
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, ranks, number = 0, numbers[10];
  MPI_Comm parent, between, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_get_parent(&parent);
  const int is_child = parent != MPI_COMM_NULL;
  between = parent;
  if (!is_child)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  MPI_Sendrecv(&number, 1, MPI_INT, (rank + 1) % ranks, 1, numbers, 10, MPI_INT, (rank + ranks - 1) % ranks, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0 && !is_child) MPI_Send(&number, 1, MPI_INT, 0, 2, between);
  if (rank == 0 && is_child) MPI_Recv(&number, 1, MPI_INT, 0, 2, between, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(between, is_child, &all);
  int in_all, size;
  MPI_Comm_rank(all, &in_all);
  MPI_Comm_size(all, &size);
  MPI_Sendrecv(&number, 1, MPI_INT, (in_all + 1) % size, 3, numbers, 10, MPI_INT, (in_all + size - 1) % size, 3, all,
               MPI_STATUS_IGNORE);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&between);
  MPI_Finalize();
  return 0;
}
