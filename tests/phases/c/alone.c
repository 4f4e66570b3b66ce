// Ranks that ask for their clusters while one of them cannot answer, and what their own communication finds then.
//
// "files": the last rank may open no more files when it is asked first. Prints a line a rank: its answers, how often
// an attribute of MPI_COMM_WORLD was copied, and whether what the program did with all ranks was right.
#include <headrace/clusters.h>
#include <headrace/phases.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, ranks, copies;

static int count_copy(MPI_Comm from, int key, void* extra, void* value, void* copy, int* flag) {
  (void)from, (void)key, (void)extra, (void)value, (void)copy;
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}

/// A sum and a communicator of all ranks, under way at once.
static int all_is_right(void) {
  int one = rank + 1, sum = 0, size = 0;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm other;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &other, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Comm_size(other, &size);
  MPI_Comm_free(&other);
  return sum == ranks * (ranks + 1) / 2 && size == ranks;
}

static int ask(int without_files) {
  struct headrace_cluster mine;
  struct rlimit before, none;
  getrlimit(RLIMIT_NOFILE, &before);
  none = before;
  none.rlim_cur = 0;
  if (without_files) setrlimit(RLIMIT_NOFILE, &none);
  const int result = headrace_cluster_phase(NULL, &mine);
  setrlimit(RLIMIT_NOFILE, &before);
  return result;
}

int main(int argc, char** argv) {
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &copies);
  const int files = argc > 1 && strcmp(argv[1], "files") == 0;
  const int first = ask(files && rank == ranks - 1), second = ask(0);
  const int right = files ? all_is_right() : 1;
  MPI_Finalize();
  printf("%d %d %d %d %d\n", rank, first, second, copies, right);
  return 0;
}
