// Ranks that dump three times: the even ones write, the odd ones send to them; after MPI_Finalize once more, without
// messages. ranks DIRECTORY
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void headrace_phase_begin(const char* name) __attribute__((weak));
void headrace_phase_end(const char* name) __attribute__((weak));

static char bytes[1 << 16];

static void dump(int rank, int ranks, int file, int with_messages) {
  if (headrace_phase_begin) headrace_phase_begin("dump");
  const int partner = rank ^ 1;
  if (with_messages && partner < ranks) {
    if (rank % 2)
      MPI_Send(bytes, sizeof bytes, MPI_BYTE, partner, 7, MPI_COMM_WORLD);
    else
      MPI_Recv(bytes, sizeof bytes, MPI_BYTE, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; rank % 2 == 0 && i < 16; ++i)
    if (write(file, bytes, 4096) != 4096) MPI_Abort(MPI_COMM_WORLD, 1);
  if (headrace_phase_end) headrace_phase_end("dump");
}

int main(int argc, char** argv) {
  int rank, ranks;
  char path[512];
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(path, sizeof path, "%s/rank.%d", argv[1], rank);
  const int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  for (int i = 0; i < 3; ++i) dump(rank, ranks, file, 1);
  if (headrace_phase_begin) headrace_phase_begin("end");
  MPI_Finalize();
  if (headrace_phase_end) headrace_phase_end("end");
  dump(rank, ranks, file, 0);
  return 0;
}
