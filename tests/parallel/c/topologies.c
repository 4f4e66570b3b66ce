// Collectives of neighbours on a grid, a ring that is a graph, and one that every rank tells its part of.
#include <mpi.h>
#include <string.h>

static int bytes[64], room[64];
static int counts[4] = {1, 2, 3, 4}, places[4] = {0, 8, 16, 24};
static MPI_Aint far[4] = {0, 32, 64, 96};
static MPI_Datatype types[4];

static void exchange(MPI_Comm comm, const int* rooms) {
  MPI_Request requests[2];
  MPI_Neighbor_allgather(bytes, 5, MPI_INT, room, 5, MPI_INT, comm);
  MPI_Neighbor_alltoall(bytes, 3, MPI_INT, room, 3, MPI_INT, comm);
  MPI_Neighbor_alltoallv(bytes, counts, places, MPI_INT, room, rooms, places, MPI_INT, comm);
  MPI_Ineighbor_alltoall(bytes, 2, MPI_INT, room, 2, MPI_INT, comm, requests);
  MPI_Ineighbor_alltoallw(bytes, counts, far, types, room + 32, rooms, far, types, comm, requests + 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 4; ++i) types[i] = MPI_INT;

  // A line: its ends have one neighbour. What goes below is what comes from above.
  int periodic = 0, swapped[2] = {2, 1};
  MPI_Comm line, graph, told;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &line);
  exchange(line, swapped);

  int ends[16], ring[32], next[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  for (int i = 0; i < ranks; ++i) {
    ends[i] = 2 * i + 2;
    ring[2 * i] = (i + ranks - 1) % ranks;
    ring[2 * i + 1] = (i + 1) % ranks;
  }
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, ring, 0, &graph);
  exchange(graph, swapped);

  // One way round: one neighbour to hear from and one to tell.
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, next, MPI_UNWEIGHTED, 1, next + 1, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &told);
  exchange(told, counts);
  MPI_Comm_free(&told);
  if (argc > 1) return MPI_Finalize();  // leaving the others open
  MPI_Comm_free(&line);
  MPI_Comm_free(&graph);
  return MPI_Finalize();
}
