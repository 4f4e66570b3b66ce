// Ranks of two kinds and a slow one, each with files of its own beside one that all share.
//
// crowd DIRECTORY. In each of three dumps, every fourth rank waits in read(), the others in readv(), of a timer; the
// last one ten times as long. Then each writes 1000 bytes into DIRECTORY/shared, and as much into each of ten new files
// of its own. In the end it writes 100 bytes into a stream, opens a file with one other rank, and reads a directory.
#include <dirent.h>
#include <fcntl.h>
#include <headrace/phases.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
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

static void write_to(const char* path) {
  static char bytes[1000];
  const int file = open(path, O_WRONLY | O_CREAT, 0600);
  for (int i = 0; i < 4; ++i)
    if (pwrite(file, bytes, 250, rank * 1000 + i * 250) != 250) MPI_Abort(MPI_COMM_WORLD, 2);
  close(file);
}

/// What two ranks have or one has alone: whatever the representatives are, each counts once.
static void use_others(const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/stream.%d", directory, rank);
  FILE* stream = fopen(path, "w");
  fprintf(stream, "%100d", rank);
  fclose(stream);
  snprintf(path, sizeof path, "%s/pair.%d", directory, rank / 2);
  close(open(path, O_RDWR | O_CREAT, 0600));
  snprintf(path, sizeof path, "%s/at.%d", directory, rank);
  mkdir(path, 0700);
  closedir(opendir(path));
}

int main(int argc, char** argv) {
  char path[4096];
  int sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int dump = 0; dump < 3; ++dump) {
    headrace_phase_begin("dump");
    wait_in(rank % 4 == 0, rank == ranks - 1 ? 200 : 20);
    snprintf(path, sizeof path, "%s/shared", argv[1]);
    write_to(path);
    for (int file = 0; file < 10; ++file) {
      snprintf(path, sizeof path, "%s/own.%d.%d", argv[1], rank, dump * 10 + file);
      write_to(path);
    }
    headrace_phase_end("dump");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  use_others(argv[1]);
  MPI_Finalize();
  return argc > 1 && sum == ranks * (ranks - 1) / 2 ? 0 : 1;
}
