// What headrace_cluster_phase takes a rank. Rank 0's lines: "first" and "later" (the mean of 20 calls), with
// milliseconds of the processor as the mean of all ranks and of the busiest one, and of the wall, of the slowest rank.
//
//   mpicc -O2 $(headrace config --cflags) -o online benchmarks/clustering/online.c
//   headrace run -- mpirun -np 16 ./online
#include <fcntl.h>
#include <headrace/clusters.h>
#include <headrace/phases.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void ask(const char* name, int calls) {
  double took[2], sum, most[2];
  MPI_Barrier(MPI_COMM_WORLD);
  const double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < calls; ++i) headrace_cluster_phase("dump", NULL);
  took[0] = (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / calls;
  took[1] = (now(CLOCK_MONOTONIC) - wall) / calls;
  MPI_Reduce(took, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(took, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %.2f %.2f %.1f\n", name, sum / ranks, most[0], most[1]);
}

int main(int argc, char** argv) {
  static char bytes[65536];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  headrace_phase_begin("dump");
  const int file = open("/dev/null", O_WRONLY);
  for (int i = 0; i < (rank % 4 ? 2 : 20); ++i)
    if (write(file, bytes, sizeof bytes) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  headrace_phase_end("dump");
  ask("first", 1);
  ask("later", 20);
  MPI_Finalize();
  return 0;
}
