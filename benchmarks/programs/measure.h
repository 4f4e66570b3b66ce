// What the measured programs share: clocks, batches and the lines that the driver reads.
//
// A program does one operation in batches, through the C library and then directly (the reference, which no library can
// change). The two batches are a millisecond apart, so they share the state of the machine, which moves far more than
// what is to be measured; the driver uses their difference. Each prints `batch OPERATIONS CPU_NS REFERENCE_CPU_NS`,
// after the last one, so that printing is no part of any. The first warms caches and creates records; the driver drops
// it.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kBatches = 61 };

struct Batches {
  long operations;  // in each batch, and in its reference
  long cpu_ns[kBatches];
  long reference_cpu_ns[kBatches];
};

static inline long clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static inline void fail(const char* what) {
  perror(what);
  exit(2);
}

// The path of `name` in the directory given as the program's first argument.
static inline void path_in(char* out, size_t size, const char* directory, const char* name) {
  int length = snprintf(out, size, "%s/%s", directory, name);
  if (length < 0 || (size_t)length >= size) {
    fprintf(stderr, "%s: the path of %s is longer than %zu bytes\n", directory, name, size);
    exit(2);
  }
}

static inline void print_batches(const struct Batches* batches) {
  for (int i = 0; i < kBatches; ++i) {
    printf("batch %ld %ld %ld\n", batches->operations, batches->cpu_ns[i], batches->reference_cpu_ns[i]);
  }
}

// CPU ns by `clock` of doing BODY `count` times, with the loop variable `i`.
#define CPU_NS(clock, count, BODY)           \
  ({                                         \
    long start_ = clock_ns(clock);           \
    for (long i = 0; i < (count); ++i) BODY; \
    clock_ns(clock) - start_;                \
  })

// Fills `batches` with BODY and its reference, `count` times a batch, in the process's CPU time.
#define MEASURE(batches, count, BODY, REFERENCE)                                                \
  do {                                                                                          \
    (batches)->operations = (count);                                                            \
    for (int batch_ = 0; batch_ < kBatches; ++batch_) {                                         \
      (batches)->cpu_ns[batch_] = CPU_NS(CLOCK_PROCESS_CPUTIME_ID, count, BODY);                \
      (batches)->reference_cpu_ns[batch_] = CPU_NS(CLOCK_PROCESS_CPUTIME_ID, count, REFERENCE); \
    }                                                                                           \
  } while (0)

// The directory that every program takes as its first argument.
static inline const char* directory_argument(int argc, char** argv, int arguments, const char* usage) {
  if (argc != arguments + 1) {
    fprintf(stderr, "usage: %s %s\n", argv[0], usage);
    exit(2);
  }
  return argv[1];
}
