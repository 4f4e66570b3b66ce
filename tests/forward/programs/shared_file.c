// Four ranks write one file through MPI-IO: interleaved views with collective calls, own blocks with independent ones,
// the shared pointer, and check what they read of each other.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBlocks = 64, kInts = 500 };

static void check(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "%s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int count, char** arguments) {
  int rank, ranks, i;
  int* data = malloc(sizeof(int) * kBlocks * kInts);
  MPI_File file;
  MPI_Datatype strided;
  MPI_Status status;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check(MPI_File_open(MPI_COMM_WORLD, arguments[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "open");

  MPI_Type_vector(kBlocks, kInts, kInts * ranks, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  check(MPI_File_set_view(file, (MPI_Offset)rank * kInts * 4, MPI_INT, strided, "native", MPI_INFO_NULL), "view");
  for (i = 0; i < kBlocks * kInts; ++i) data[i] = rank * 1000000 + i;
  check(MPI_File_write_all(file, data, kBlocks * kInts, MPI_INT, &status), "write_all");
  // Holes of the view are the other ranks': written by reading, changing and writing under a lock.
  check(MPI_File_write_at(file, 7, data + 7, 3000, MPI_INT, &status), "write_at");
  check(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "view");
  check(MPI_File_sync(file), "sync");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int other = 0; other < ranks; ++other) {
    for (int block = 0; block < kBlocks; ++block) {
      const MPI_Offset at = ((MPI_Offset)block * ranks + other) * kInts;
      check(MPI_File_read_at(file, at, data, kInts, MPI_INT, &status), "read_at");
      for (i = 0; i < kInts; ++i)
        if (data[i] != other * 1000000 + block * kInts + i) check(MPI_ERR_OTHER, "verification");
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  check(MPI_File_set_atomicity(file, 1), "atomicity");
  for (i = 0; i < 4; ++i) {
    const int mine = -rank;
    check(MPI_File_write_at(file, (MPI_Offset)i * ranks + rank, &mine, 1, MPI_INT, &status), "atomic write");
  }
  MPI_Offset size;
  check(MPI_File_get_size(file, &size), "size");
  check(MPI_File_close(&file), "close");
  if (rank == 0) printf("%lld bytes\n", (long long)size);
  MPI_Type_free(&strided);
  MPI_Finalize();
  free(data);
  return 0;
}
