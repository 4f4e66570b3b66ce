/* One thread opens and writes, another closes: handover PATH COUNT */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kPlaces = 256 };
static _Atomic int places[kPlaces]; /* descriptor + 1; 0: free */
static long count;

static void* close_all(void* unused) {
  for (long i = 0; i < count; ++i) {
    _Atomic int* place = &places[i % kPlaces];
    while (atomic_load(place) == 0) sched_yield();
    int fd = atomic_exchange(place, 0) - 1;
    if (close(fd) != 0) exit(2);
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t closer;
  if (argc < 3) return 1;
  count = atol(argv[2]);
  pthread_create(&closer, 0, close_all, 0);
  for (long i = 0; i < count; ++i) {
    while (atomic_load(&places[i % kPlaces]) != 0) sched_yield();
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1) return 3;
    atomic_store(&places[i % kPlaces], fd + 1);
  }
  pthread_join(closer, 0);
  return 0;
}
