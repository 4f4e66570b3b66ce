// Rank 0 waits for a message that nobody sends, rank 1 reads a pipe that nobody writes: hung FIFO. Each says its pid.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** words) {
  int rank;
  char buffer[64];
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", words[1], rank);
  FILE* said = fopen(name, "w");
  fprintf(said, "%d\n", (int)getpid());
  fclose(said);
  if (rank == 0)
    MPI_Recv(buffer, 8, MPI_CHAR, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    printf("%d\n", (int)read(open(words[1], O_RDWR), buffer, sizeof buffer));
  MPI_Finalize();
  return 0;
}
