// What MPI_Finalize takes a rank: its line has the rank, and microseconds of the processor and of the wall.
//
// Before, every rank calls four functions in each of three phases, and waits for the others.
#include <fcntl.h>
#include <headrace/phases.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void work(const char* phase, int rank) {
  static char bytes[65536];
  headrace_phase_begin(phase);
  const int file = open("/dev/null", O_WRONLY);
  for (int i = 0; i < (rank % 4 ? 2 : 20); ++i)
    if (write(file, bytes, sizeof bytes) < 0) exit(3);
  close(file);
  MPI_Barrier(MPI_COMM_WORLD);
  headrace_phase_end(phase);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; ++i) {
    work("dump", rank);
    work("restart", rank);
    work("plot", rank);
  }
  struct timespec settle = {0, 300000000};
  MPI_Barrier(MPI_COMM_WORLD);
  nanosleep(&settle, NULL);
  const double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  MPI_Finalize();
  printf("finalize %d %.0f %.0f\n", rank, now(CLOCK_PROCESS_CPUTIME_ID) - cpu, now(CLOCK_MONOTONIC) - wall);
  return 0;
}
