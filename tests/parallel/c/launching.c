// A rank that writes a file of its own and a part of one that all share: 10 × (rank + 1) and 3 calls.
//
// launching DIR [hold]: with `hold` each rank then makes DIR/ready.RANK and waits for DIR/go.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, ranks;
  char path[4096], bytes[100] = {0};
  struct stat info;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(path, sizeof path, "%s/own.%d", argv[1], rank);
  int own = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
  for (int i = 0; i < 10 * (rank + 1); ++i)
    if (write(own, bytes, 100) != 100) return 1;
  close(own);
  snprintf(path, sizeof path, "%s/shared", argv[1]);
  int shared = open(path, O_CREAT | O_RDWR, 0644);
  for (int i = 0; i < 3; ++i)
    if (pwrite(shared, bytes, 50, 1000 * rank + 50 * i) != 50) return 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (pread(shared, bytes, 10, 1000 * (ranks - 1 - rank)) != 10) return 1;
  close(shared);
  if (argc > 2 && strcmp(argv[2], "hold") == 0) {
    snprintf(path, sizeof path, "%s/ready.%d", argv[1], rank);
    close(open(path, O_CREAT | O_WRONLY, 0644));
    snprintf(path, sizeof path, "%s/go", argv[1]);
    while (stat(path, &info) != 0) usleep(10000);
  }
  MPI_Finalize();
  return 0;
}
