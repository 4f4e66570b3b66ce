// Two ranks start three of the same program; each of the five writes a file.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int write_own(const char* place, const char* kind, int rank, size_t amount) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%d", place, kind, rank);
  FILE* file = fopen(path, "w");
  char* bytes = calloc(1, amount);
  return !file || fwrite(bytes, 1, amount, file) != amount || fclose(file) != 0;
}

int main(int argc, char** argv) {
  int rank, failed = 0;
  MPI_Comm parent, children;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    failed = write_own(argv[1], "child", rank, 200);
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
  } else {
    failed = write_own(argv[1], "parent", rank, 100);
    MPI_Comm_spawn(argv[0], argv + 1, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
  }
  MPI_Finalize();
  return failed;
}
