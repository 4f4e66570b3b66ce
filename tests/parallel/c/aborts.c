// Each rank writes a file of its own into a directory; then one of them aborts all, which wait for more.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char name[4096];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s/own.%d", argv[1], rank);
  const int file = open(name, O_WRONLY | O_CREAT, 0600);
  if (write(file, "x", 1) != 1) return 1;
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  for (;;) pause();
}
