// bandwidth write|read shared|own PLACE MIB PASSES: every rank writes or reads MIB of a file PASSES times, in blocks of
// 1 MiB, and rank 0 prints the seconds and the MiB/s of all, as benchmarks tell it: from a barrier before the first
// open to one after the last close.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBlock = 1 << 20 };

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 6) MPI_Abort(MPI_COMM_WORLD, 2);
  const int writes = !strcmp(argv[1], "write"), shared = !strcmp(argv[2], "shared");
  const long blocks = atol(argv[4]), passes = atol(argv[5]);
  char path[4096];
  snprintf(path, sizeof path, shared ? "%s/shared" : "%s/own.%d", argv[3], rank);
  char* block = malloc(kBlock);
  memset(block, 'a' + rank % 26, kBlock);
  const off_t start = shared ? rank * blocks * kBlock : 0;

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const int fd = open(path, writes ? O_CREAT | O_WRONLY : O_RDONLY, 0600);
  if (fd < 0) MPI_Abort(MPI_COMM_WORLD, 3);
  for (long pass = 0; pass < passes; ++pass)
    for (long i = 0; i < blocks; ++i) {
      const off_t place = start + (off_t)i * kBlock;
      if ((writes ? pwrite(fd, block, kBlock, place) : pread(fd, block, kBlock, place)) != kBlock)
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
  if (close(fd) != 0) MPI_Abort(MPI_COMM_WORLD, 5);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0) printf("%.6f %.3f\n", seconds, (double)ranks * blocks * passes / seconds);
  return MPI_Finalize();
}
