// Leaves calls of MPI-IO by longjmp, as error handlers may, and then writes small pieces from deeper in the stack:
// another thread reads each at once, and one that the thread wrote last is there after the thread's end.
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char* path;
static int file;
static MPI_File shared;
static __thread jmp_buf place;

static void on_error(MPI_File* of, int* error, ...) {
  (void)of, (void)error;
  longjmp(place, 1);
}

static __attribute__((noinline)) void leave_a_write(void) {
  char byte = 'm';
  if (setjmp(place) == 0) {
    MPI_File_write_at(shared, 0, &byte, -1, MPI_CHAR, MPI_STATUS_IGNORE);
    printf("was not left\n");
  }
}

static __attribute__((noinline)) void write_deep(int depth, int at) {
  volatile char below[512];
  memset((char*)below, depth, sizeof below);
  if (depth > 0) {
    write_deep(depth - 1, at);
  } else {
    const char byte = (char)('a' + at);
    if (pwrite(file, &byte, 1, at) != 1) printf("%d is not written\n", at);
  }
  below[0] = below[1];
}

static void* read_one(void* at) {
  const int number = *(int*)at;
  char byte = '-';
  const int again = open(path, O_RDONLY);
  if (pread(again, &byte, 1, number) != 1 || byte != 'a' + number) printf("%d is not seen\n", number);
  close(again);
  return NULL;
}

static void* write_and_end(void* at) {
  leave_a_write();
  write_deep(100, *(int*)at);
  return NULL;
}

int main(int count, char** words) {
  pthread_t other;
  int at = 0;
  MPI_Errhandler handler;
  MPI_Init(&count, &words);
  path = words[1];
  file = open(path, O_WRONLY | O_CREAT, 0600);
  MPI_File_open(MPI_COMM_SELF, words[2], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &shared);
  MPI_File_create_errhandler(on_error, &handler);
  MPI_File_set_errhandler(shared, handler);
  for (; at < 20; ++at) {
    leave_a_write();
    write_deep(100, at);
    pthread_create(&other, NULL, read_one, &at);
    pthread_join(other, NULL);
  }
  pthread_create(&other, NULL, write_and_end, &at);
  pthread_join(other, NULL);
  read_one(&at);
  leave_a_write();
  write_deep(100, ++at);
  MPI_Finalize();
  printf("done\n");
  return 0;
}
