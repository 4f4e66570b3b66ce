// steps FILE ACCOUNT THREADS COUNT: each thread writes the numbers from 0 on to a region of FILE of its own, and after
// each keeps in ACCOUNT, which is shared memory, how many it has written. COUNT 0: until it is killed.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kThreads = 64 };

static int file;
static unsigned long count;
static _Atomic unsigned long* account;  // process id, then one a thread

static void* work(void* argument) {
  const unsigned long thread = (unsigned long)argument;
  for (unsigned long i = 0; count == 0 || i < count; ++i) {
    const off_t place = (off_t)(thread << 32) + (off_t)(i % 4096 * sizeof i);
    if (pwrite(file, &i, sizeof i, place) != sizeof i) exit(2);
    atomic_store(&account[1 + thread], i + 1);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 5) return 1;
  const unsigned long threads = strtoul(argv[3], NULL, 10);
  count = strtoul(argv[4], NULL, 10);
  file = open(argv[1], O_RDWR | O_CREAT, 0600);
  const int shared = open(argv[2], O_RDWR);
  if (file < 0 || shared < 0 || threads > kThreads) return 1;
  account = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  if (account == MAP_FAILED) return 1;
  pthread_t made[kThreads];
  for (unsigned long i = 0; i < threads; ++i)
    if (pthread_create(&made[i], NULL, work, (void*)i) != 0) return 1;
  atomic_store(&account[0], (unsigned long)getpid());
  for (unsigned long i = 0; i < threads; ++i) pthread_join(made[i], NULL);
  return 0;
}
