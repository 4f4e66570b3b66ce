// Calls of MPI and MPI-IO whose counts the test knows, on any number of ranks ≥ 2.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char bytes[4096];

static void talk(void) {
  double sum, mine = rank;
  int numbers[10] = {0};
  MPI_Bcast(numbers, 10, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Request requests[2];
  MPI_Irecv(bytes, 100, MPI_CHAR, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(bytes + 1000, 100, MPI_CHAR, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(bytes, 7, MPI_INT, next, 2, bytes + 1000, 7, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Send(bytes, 25, MPI_INT, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(bytes, 100, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // fewer come than fit
  MPI_Gather(rank == 0 ? MPI_IN_PLACE : bytes, 4, MPI_CHAR, bytes, 4, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static MPI_File open_file(const char* directory, const char* name, MPI_Info info) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) != MPI_SUCCESS) exit(3);
  return file;
}

// At offsets: blocking, nonblocking, collective, split.
static void at_offsets(const char* directory) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "1048576");
  MPI_File file = open_file(directory, "offsets", info);
  MPI_Info_free(&info);
  MPI_Offset mine = (MPI_Offset)rank * 100000;
  MPI_Status status;
  MPI_Request request;
  for (int i = 0; i < 3; ++i) MPI_File_write_at(file, mine + i * 1000, bytes, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, mine + 3000, bytes, 500, MPI_INT, &status);
  MPI_File_iwrite_at(file, mine + 5000, bytes, 1000, MPI_CHAR, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, mine + 6000, bytes, 1000, MPI_CHAR);
  MPI_File_write_at_all_end(file, bytes, &status);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, mine, bytes, 1000, MPI_CHAR, &status);
  MPI_File_read_at_all(file, mine + 1000, bytes, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

// At file pointers, through a view with holes, and past the end.
static void at_pointers(const char* directory) {
  MPI_File file = open_file(directory, "pointers", MPI_INFO_NULL);
  MPI_Datatype holes;
  MPI_Type_vector(10, 1, 2, MPI_INT, &holes);
  MPI_Type_create_resized(holes, 0, 80, &holes);
  MPI_Type_commit(&holes);
  MPI_File_set_view(file, (MPI_Offset)rank * 800, MPI_INT, holes, "native", MPI_INFO_NULL);
  MPI_File_write(file, bytes, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_all(file, bytes, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Type_free(&holes);
  MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, 1 << 20, MPI_SEEK_SET);
  MPI_File_read(file, bytes, 100, MPI_CHAR, MPI_STATUS_IGNORE);  // nothing is there
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memset(bytes, 'a' + rank % 26, sizeof bytes);
  talk();
  at_offsets(argv[1]);
  at_pointers(argv[1]);
  MPI_Finalize();
  return 0;
}
