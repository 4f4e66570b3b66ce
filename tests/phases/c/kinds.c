// Ranks of two kinds and a slow one, which ask for their clusters.
//
// Every fourth rank waits in read(), the others in readv(), of a timer; the last one ten times as long. Each rank
// prints a line an answer: name of the question, rank, result, and what headrace_cluster has.
#include <errno.h>
#include <headrace/clusters.h>
#include <headrace/phases.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

static int rank, ranks;

static void wait_in(int alone, long milliseconds) {
  struct itimerspec after = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000000}};
  uint64_t times;
  struct iovec into = {&times, sizeof times};
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &after, NULL);
  if ((alone ? read(timer, &times, sizeof times) : readv(timer, &into, 1)) != sizeof times)
    MPI_Abort(MPI_COMM_WORLD, 1);
  close(timer);
}

static void dump(void) {
  headrace_phase_begin("dump");
  wait_in(rank % 4 == 0, rank > 0 && rank == ranks - 1 ? 300 : 30);
  headrace_phase_end("dump");
}

static void ask(const char* name, const char* phase) {
  struct headrace_cluster mine;
  memset(&mine, 0xff, sizeof mine);
  errno = 77;
  const int result = headrace_cluster_phase(phase, &mine);
  if (errno != 77) printf("errno changed\n");
  printf("%s %d %d %d %d %d %d %d %d %d %d %lu %.17g\n", name, rank, result, mine.cluster, mine.clusters, mine.size,
         mine.representative, mine.outlier, mine.missing, mine.ranks_missing, mine.outliers, mine.instance,
         result ? 0 : mine.distance);
  fflush(stdout);
}

/// A message that any receive would take is still there afterwards.
static void ask_beside_messages(void) {
  int got = -1, to = (rank + 1) % ranks;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  ask("dump", "dump");
  MPI_Send(&rank, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  if (got != (rank + ranks - 1) % ranks || status.MPI_TAG != 5) printf("a message was lost\n");
}

int main(int argc, char** argv) {
  ask("early", "dump");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ask("never", "dump");
  for (int i = 0; i < 3; ++i) {
    dump();
    if (headrace_cluster_phase("dump", NULL)) printf("no clusters without an answer\n");
  }
  ask_beside_messages();
  ask("run", NULL);
  if (ranks > 1) ask("different", rank == 1 ? "dump" : "other");
  headrace_phase_begin("outer");
  headrace_phase_begin("some");
  if (rank == 0) wait_in(1, 5);
  headrace_phase_end("some");
  headrace_phase_end("outer");
  ask("some", "outer/some");
  if (rank == 0) dump();  // only here once more
  if (rank != 0) {
    headrace_phase_begin("members");
    wait_in(1, 5);
    headrace_phase_end("members");
  }
  ask("members", "members");
  headrace_phase_begin("idle");
  headrace_phase_end("idle");
  ask("idle", "idle");
  MPI_Barrier(MPI_COMM_WORLD);
  ask("end", NULL);
  MPI_Finalize();
  ask("late", "dump");
  return 0;
}
