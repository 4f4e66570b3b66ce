// Collective operations with counts of their own. Each rank prints what it put in and got out of each, in order:
// "NAME ROOT PUT-IN GOT-OUT", its root −1 where there is none.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64 };

static int rank, ranks;
static char told[16384];
static int numbers[kMost * kMost], room[kMost * kMost];
static int counts[kMost], places[kMost], bytes_far[kMost];
static MPI_Datatype types[kMost];

static void tell(const char* name, int root, long put_in, long got_out) {
  snprintf(told + strlen(told), sizeof told - strlen(told), "%d %s %d %ld %ld\n", rank, name, root, put_in, got_out);
}

static void rooted(MPI_Comm comm, int root, int world_root) {
  const int is_root = rank == root;
  const long all = 4L * ranks * (ranks + 1) / 2;
  MPI_Bcast(numbers, 3, MPI_INT, root, comm);
  tell("Bcast", world_root, is_root ? 12 : 0, is_root ? 0 : 12);
  MPI_Gather(numbers, 2, MPI_INT, is_root ? room : NULL, 2, MPI_INT, root, comm);
  tell("Gather", world_root, 8, is_root ? 8L * ranks : 0);
  MPI_Gather(is_root ? MPI_IN_PLACE : numbers, 2, MPI_INT, room, 2, MPI_INT, root, comm);
  tell("Gather", world_root, 8, is_root ? 8L * ranks : 0);
  MPI_Gatherv(numbers, rank + 1, MPI_INT, room, counts, places, MPI_INT, root, comm);
  tell("Gatherv", world_root, 4 * (rank + 1), is_root ? all : 0);
  MPI_Scatter(numbers, 5, MPI_INT, room, 5, MPI_INT, root, comm);
  tell("Scatter", world_root, is_root ? 20L * ranks : 0, 20);
  MPI_Scatterv(numbers, counts, places, MPI_INT, room, rank + 1, MPI_INT, root, comm);
  tell("Scatterv", world_root, is_root ? all : 0, 4 * (rank + 1));
  MPI_Reduce(numbers, room, 6, MPI_INT, MPI_SUM, root, comm);
  tell("Reduce", world_root, 24, is_root ? 24 : 0);
}

static void among_all(MPI_Comm comm) {
  const long all = 4L * ranks * (ranks + 1) / 2;
  int same[kMost];
  for (int i = 0; i < ranks; ++i) same[i] = rank + 1;
  MPI_Barrier(comm);
  tell("Barrier", -1, 0, 0);
  MPI_Allgather(numbers, 2, MPI_INT, room, 2, MPI_INT, comm);
  tell("Allgather", -1, 8, 8L * ranks);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, room, 2, MPI_INT, comm);
  tell("Allgather", -1, 8, 8L * ranks);
  MPI_Allgatherv(numbers, rank + 1, MPI_INT, room, counts, places, MPI_INT, comm);
  tell("Allgatherv", -1, 4 * (rank + 1), all);
  MPI_Alltoall(numbers, 3, MPI_INT, room, 3, MPI_INT, comm);
  tell("Alltoall", -1, 12L * ranks, 12L * ranks);
  MPI_Alltoallv(numbers, counts, places, MPI_INT, room, same, places, MPI_INT, comm);
  tell("Alltoallv", -1, all, 4L * ranks * (rank + 1));
  MPI_Alltoallw(numbers, counts, bytes_far, types, room, same, bytes_far, types, comm);
  tell("Alltoallw", -1, all, 4L * ranks * (rank + 1));
  MPI_Allreduce(MPI_IN_PLACE, room, 7, MPI_INT, MPI_SUM, comm);
  tell("Allreduce", -1, 28, 28);
  MPI_Reduce_scatter(numbers, room, counts, MPI_INT, MPI_SUM, comm);
  tell("Reduce_scatter", -1, all, 4 * (rank + 1));
  MPI_Reduce_scatter_block(numbers, room, 2, MPI_INT, MPI_SUM, comm);
  tell("Reduce_scatter_block", -1, 8L * ranks, 8);
  MPI_Scan(numbers, room, 4, MPI_INT, MPI_SUM, comm);
  tell("Scan", -1, 16, 16);
  MPI_Exscan(numbers, room, 4, MPI_INT, MPI_SUM, comm);
  tell("Exscan", -1, 16, rank == 0 ? 0 : 16);
  MPI_Request request;
  MPI_Iallreduce(numbers, room, 9, MPI_INT, MPI_SUM, comm, &request);
  tell("Iallreduce", -1, 36, 36);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void on_a_line(void) {
  const int periodic = 0, neighbours = (rank > 0) + (rank + 1 < ranks);
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &line);
  MPI_Neighbor_allgather(numbers, 2, MPI_INT, room, 2, MPI_INT, line);
  tell("Neighbor_allgather", -1, 8, 8L * neighbours);
  MPI_Neighbor_alltoall(numbers, 3, MPI_INT, room, 3, MPI_INT, line);
  tell("Neighbor_alltoall", -1, 12L * neighbours, 12L * neighbours);
  MPI_Comm_free(&line);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = i + 1, places[i] = i * kMost, types[i] = MPI_INT;
    bytes_far[i] = 4 * places[i];
  }
  rooted(MPI_COMM_WORLD, ranks - 1, ranks - 1);
  among_all(MPI_COMM_WORLD);
  on_a_line();
  MPI_Comm turned;  // whose ranks count from the other end
  const int first = rank;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  rank = ranks - 1 - rank;
  char* behind = told + strlen(told);
  rooted(turned, 0, ranks - 1);
  for (char* line = behind; *line; line = strchr(line, '\n') + 1) *line = (char)('0' + first);
  rank = first;
  MPI_Comm_free(&turned);
  if (fwrite(told, 1, strlen(told), stdout) != strlen(told)) return 1;
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
