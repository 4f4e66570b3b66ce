// A rank that sends itself messages of 8 bytes, so nobody is waited for: ns of processor time for one Irecv, Isend and
// Waitall. Usage: exchange ROUNDS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long rounds = argc > 1 ? atol(argv[1]) : 100000;
  double from = 1, into = 0;
  MPI_Request requests[2];
  double start = 0;
  for (long i = -1000; i < rounds; ++i) {
    if (i == 0) start = processor_ns();
    MPI_Irecv(&into, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&from, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  printf("%.1f\n", (processor_ns() - start) / (double)rounds);
  MPI_Finalize();
  return into != from;
}
