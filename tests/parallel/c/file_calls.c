// Each rank reads and writes its own file with every kind of call of MPI-IO; rank 0 says what it moved.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank;
  double values[64];
  char path[1000];
  MPI_File file;
  MPI_Request request;
  MPI_Datatype pair, pairs;
  MPI_Init(&argc, &argv);
  if (argc != 2) return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(values, 0, sizeof values);
  snprintf(path, sizeof path, "%s/no/file.%d", argv[1], rank);
  if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS) return 3;
  snprintf(path, sizeof path, "%s/file.%d", argv[1], rank);
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 1000, values, 10, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 500, MPI_SEEK_SET);
  MPI_File_write(file, values, 5, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_write_all(file, values, 3, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, 2000, values, 7, MPI_CHAR, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, 3000, values, 20, MPI_CHAR);
  MPI_File_write_at_all_end(file, values, MPI_STATUS_IGNORE);
  MPI_File_write_shared(file, values, 4, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 2990, values, 64, MPI_CHAR, MPI_STATUS_IGNORE);  // the file ends at 3020
  // Of every four doubles from byte 80 on the first two: the fourth pair begins at 80 + 3 * 32.
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_create_resized(pair, 0, 32, &pairs);
  MPI_Type_free(&pair);
  MPI_Type_commit(&pairs);
  MPI_File_set_view(file, 80, MPI_DOUBLE, pairs, "native", MPI_INFO_NULL);
  MPI_File_write_at(file, 6, values, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_Type_free(&pairs);
  MPI_File_close(&file);
  MPI_File_delete(path, MPI_INFO_NULL);
  return MPI_Finalize();
}
