// Ranks write and read a file by nonblocking calls of MPI-IO, several at once.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 300000 };

int main(int count, char** arguments) {
  int rank, ranks, got = -1;
  MPI_File file;
  MPI_Request requests[2];
  MPI_Status states[2];
  char *data = malloc(kBytes), *back = malloc(kBytes);
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_File_open(MPI_COMM_WORLD, arguments[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  memset(data, 'a' + rank, kBytes);
  MPI_File_iwrite_at(file, (MPI_Offset)rank * kBytes, data, kBytes, MPI_BYTE, &requests[0]);
  MPI_File_iwrite_at(file, (MPI_Offset)(ranks + rank) * kBytes, data, kBytes, MPI_BYTE, &requests[1]);
  for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], &states[i]);
  MPI_Get_count(&states[0], MPI_BYTE, &got);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  const int peer = (rank + 1) % ranks;
  MPI_File_iread_at(file, (MPI_Offset)peer * kBytes, back, kBytes, MPI_BYTE, &requests[0]);
  MPI_Wait(&requests[0], &states[0]);
  const int right = got == kBytes && back[0] == 'a' + peer && back[kBytes - 1] == 'a' + peer;
  int all = 0;
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d of %d ranks are right\n", all, ranks);
  MPI_File_close(&file);
  return MPI_Finalize();
}
