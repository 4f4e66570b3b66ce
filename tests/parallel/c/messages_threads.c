// Threads that send and receive at once, each over a communicator of its own: handles that one gives up are another's.
#include <mpi.h>
#include <pthread.h>

enum { kThreads = 4, kRounds = 100, kAtOnce = 20 };
static MPI_Comm comms[kThreads];
static int rank, other;
static void* work(void* argument) {
  MPI_Comm comm = comms[(long)argument];
  char from[64] = "", into[kAtOnce][64];
  MPI_Request requests[2 * kAtOnce];
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kAtOnce; ++i) {
      MPI_Irecv(into[i], 64, MPI_CHAR, MPI_ANY_SOURCE, i, comm, &requests[2 * i]);
      MPI_Isend(from, i, MPI_CHAR, other, i, comm, &requests[2 * i + 1]);
    }
    int done = 0, indices[2 * kAtOnce];
    if (round % 3 == 0) MPI_Waitall(2 * kAtOnce, requests, MPI_STATUSES_IGNORE);
    if (round % 3 == 1)
      for (int left = 2 * kAtOnce; left > 0; left -= done)
        MPI_Waitsome(2 * kAtOnce, requests, &done, indices, MPI_STATUSES_IGNORE);
    if (round % 3 == 2)
      for (int i = 0; i < 2 * kAtOnce; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  return NULL;
}
int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return MPI_Finalize();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (long i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (long i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
  return MPI_Finalize();
}
