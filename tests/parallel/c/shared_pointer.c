// Ranks take turns at one pointer that they share, in every way that MPI-IO has.
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, ranks;
  char bytes[100];
  MPI_File file;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  if (argc != 2) return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memset(bytes, 'a' + rank, sizeof bytes);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i <= rank; ++i) MPI_File_write_shared(file, bytes, 100, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_iwrite_shared(file, bytes, 50, MPI_CHAR, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, bytes, 30, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_begin(file, bytes, 20, MPI_CHAR);
  MPI_File_write_ordered_end(file, bytes, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_shared(file, bytes, 40, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_read_ordered(file, bytes, 10, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  return MPI_Finalize();
}
