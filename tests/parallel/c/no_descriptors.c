// Rank 1 has every descriptor in use when MPI ends. Exit status 3: that took more than 4 s.
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char** argv) {
  struct timespec begin, end;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const struct rlimit few = {128, 128};
  if (rank == 1 && setrlimit(RLIMIT_NOFILE, &few) == 0)
    while (open("/dev/null", O_RDONLY) >= 0) continue;
  MPI_Barrier(MPI_COMM_WORLD);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  MPI_Finalize();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return end.tv_sec - begin.tv_sec > 4 ? 3 : 0;
}
