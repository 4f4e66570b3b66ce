/* Each rank writes DIRECTORY/later in nonblocking calls, reads it so, and tells how long that took it: the calls that
 * start, wait and test. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSize = 4 << 20, kTimes = 8 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, one, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char path[4096];
  snprintf(path, sizeof path, "%s/later", argv[1]);
  char* bytes = calloc(kTimes, kSize);
  MPI_File file;
  MPI_Request requests[kTimes];
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  double spent[2] = {0, 0};
  for (int reads = 0; reads < 2; ++reads) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < kTimes; ++i) {
      const MPI_Offset place = ((MPI_Offset)rank * kTimes + i) * kSize;
      char* part = bytes + (size_t)i * kSize;
      if (reads)
        MPI_File_iread_at(file, place, part, kSize, MPI_BYTE, &requests[i]);
      else
        MPI_File_iwrite_at(file, place, part, kSize, MPI_BYTE, &requests[i]);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Waitany(kTimes, requests, &one, MPI_STATUS_IGNORE);
    MPI_Waitall(kTimes, requests, MPI_STATUSES_IGNORE);
    spent[reads] = MPI_Wtime() - begin;
    MPI_Testall(kTimes, requests, &done, MPI_STATUSES_IGNORE);
  }
  MPI_File_close(&file);
  printf("%d %.0f %.0f\n", rank, spent[0] * 1e9, spent[1] * 1e9);
  free(bytes);
  MPI_Finalize();
  return done ? 0 : 1;
}
