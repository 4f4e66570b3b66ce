// Ranks that wait for others, and how long they did, by their own clocks. Three ranks.
//
// Prints a line for each rank: rank, messages received, and microseconds in MPI_Recv, MPI_Waitall, MPI_Barrier and
// MPI_Bcast that others made it wait in.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 3, APART = 50000, BYTES = 800 };

static double microseconds(double since) { return (MPI_Wtime() - since) * 1e6; }

/// Rank 0 sends to rank 1, late each time.
static double send_late(int rank) {
  char data[BYTES] = {0};
  double waited = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    if (rank == 0) {
      usleep(APART);
      MPI_Send(data, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
      const double since = MPI_Wtime();
      MPI_Recv(data, BYTES, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      waited += microseconds(since);
    }
  }
  return waited;
}

/// Rank 2 waits for both others in one call; meanwhile they are in send_late().
static double wait_for_both(int rank) {
  char data[2][BYTES] = {{0}};
  if (rank != 2) {
    MPI_Send(data, BYTES, MPI_CHAR, 2, 2, MPI_COMM_WORLD);
    return 0;
  }
  MPI_Request requests[2];
  for (int from = 0; from < 2; ++from) MPI_Irecv(data[from], BYTES, MPI_CHAR, from, 2, MPI_COMM_WORLD, &requests[from]);
  const double since = MPI_Wtime();
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return microseconds(since);
}

static double barrier_late(int rank) {
  if (rank == 2) usleep(APART);
  const double since = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD);
  return rank == 2 ? 0 : microseconds(since);
}

static double bcast_late(int rank) {
  char data[BYTES] = {0};
  if (rank == 1) usleep(APART);
  const double since = MPI_Wtime();
  MPI_Bcast(data, BYTES, MPI_CHAR, 1, MPI_COMM_WORLD);
  return rank == 1 ? 0 : microseconds(since);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const double recv = send_late(rank), waitall = wait_for_both(rank);
  const double barrier = barrier_late(rank), bcast = bcast_late(rank);
  const int received = rank == 0 ? 0 : rank == 1 ? ROUNDS : 2;
  printf("%d %d %.0f %.0f %.0f %.0f\n", rank, received, recv, waitall, barrier, bcast);
  return MPI_Finalize();
}
