// THREADS threads read one byte at a time from one file in DIRECTORY, each through a descriptor of its own.
//
// A thread measures its own CPU time and waits at a barrier between batches, so that waiting is no part of the figure
// and every thread is at work in every batch; a batch is the sum over the threads.
#include "direct.h"
#include "measure.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { kFileBytes = 1 << 20, kMostThreads = 256, kReadsInBatch = 8192, kFewestReads = 256 };

struct Reader {
  const char* path;
  pthread_barrier_t* barrier;
  struct Batches batches;
};

static inline long offset_of(long i) { return (i * 4099) & (kFileBytes - 1); }

static void* read_batches(void* argument) {
  struct Reader* reader = argument;
  struct Batches* batches = &reader->batches;
  int fd = open(reader->path, O_RDONLY);
  if (fd < 0) fail(reader->path);
  char byte;
  for (int b = 0; b < kBatches; ++b) {
    pthread_barrier_wait(reader->barrier);
    batches->cpu_ns[b] = CPU_NS(CLOCK_THREAD_CPUTIME_ID, batches->operations, {
      if (pread(fd, &byte, 1, offset_of(i)) != 1) fail("pread");
    });
    pthread_barrier_wait(reader->barrier);
    batches->reference_cpu_ns[b] = CPU_NS(CLOCK_THREAD_CPUTIME_ID, batches->operations, {
      if (direct_call(SYS_pread64, fd, (long)&byte, 1, offset_of(i)) != 1) fail("direct pread");
    });
  }
  if (close(fd) != 0) fail(reader->path);
  return NULL;
}

static void add(struct Batches* sum, const struct Batches* one) {
  sum->operations += one->operations;
  for (int b = 0; b < kBatches; ++b) {
    sum->cpu_ns[b] += one->cpu_ns[b];
    sum->reference_cpu_ns[b] += one->reference_cpu_ns[b];
  }
}

static void create(const char* path) {
  int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  if (fd < 0 || ftruncate(fd, kFileBytes) != 0 || close(fd) != 0) fail(path);
}

int main(int argc, char** argv) {
  char path[4096];
  path_in(path, sizeof path, directory_argument(argc, argv, 2, "DIRECTORY THREADS"), "shared");
  int threads = atoi(argv[2]);
  if (threads < 1 || threads > kMostThreads) {
    fprintf(stderr, "%s: give 1 to %d threads\n", argv[2], kMostThreads);
    return 2;
  }
  create(path);

  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  long reads = kReadsInBatch / threads > kFewestReads ? kReadsInBatch / threads : kFewestReads;
  static struct Reader readers[kMostThreads];
  static pthread_t ids[kMostThreads];
  for (int t = 0; t < threads; ++t) {
    readers[t] = (struct Reader){.path = path, .barrier = &barrier, .batches.operations = reads};
    if (pthread_create(&ids[t], NULL, read_batches, &readers[t]) != 0) fail("pthread_create");
  }
  struct Batches sum = {0};
  for (int t = 0; t < threads; ++t) {
    pthread_join(ids[t], NULL);
    add(&sum, &readers[t].batches);
  }
  print_batches(&sum);
  return 0;
}
