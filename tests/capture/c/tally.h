/* A program's own account of its I/O, in a file mapped by all its threads and processes, so that it survives any end.
 *
 * Layout, all uint64: header {rows, files, 0 …} of 8 words; per row an intent of 8 words {active, file, what, bytes,
 * process id, …}; then counts[row][file][kCounters]. A row belongs to one thread. An operation is announced before the
 * call and entered after it returned: what a log may hold beyond the entered counts is exactly the active intents. */
#pragma once
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kOpens, kCloses, kReads, kWrites, kBytesRead, kBytesWritten, kCounters };

struct intent {
  volatile uint64_t active, file, what, bytes, process, unused[3];
};

struct tally {
  uint64_t rows, files;
  struct intent* intents;
  volatile uint64_t* counts;
};

/* Raw system calls: the account itself must not show in the log. The file exists and is large enough. */
static struct tally tally_map(const char* path) {
  struct tally t = {0, 0, 0, 0};
  uint64_t header[8];
  long fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0 || pread((int)fd, header, sizeof header, 0) != sizeof header) {
    fprintf(stderr, "no account at %s\n", path);
    exit(99);
  }
  t.rows = header[0];
  t.files = header[1];
  uint64_t bytes = (8 + 8 * t.rows + t.rows * t.files * kCounters) * 8;
  char* memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
  if (memory == MAP_FAILED) exit(98);
  close((int)fd);
  t.intents = (struct intent*)(memory + 64);
  t.counts = (volatile uint64_t*)(memory + 64 + 64 * t.rows);
  return t;
}

static inline volatile uint64_t* tally_of(struct tally* t, uint64_t row, uint64_t file) {
  return t->counts + (row * t->files + file) * kCounters;
}

#define BARRIER() __asm__ volatile("" ::: "memory")

static inline void tally_begin(struct tally* t, uint64_t row, uint64_t file, uint64_t what, uint64_t bytes) {
  struct intent* i = &t->intents[row];
  i->file = file;
  i->what = what;
  i->bytes = bytes;
  BARRIER();
  i->active = 1;
  BARRIER();
}

/* Entering is not atomic either: `active` becomes 2 + the count already entered, so that a reader can tell. */
static inline void tally_end(struct tally* t, uint64_t row, uint64_t file, uint64_t what, int64_t result) {
  volatile uint64_t* counts = tally_of(t, row, file);
  BARRIER();
  if (result >= 0) {
    if (what == kReads || what == kWrites) counts[what + 2] += (uint64_t)result;
    counts[what]++;
  }
  BARRIER();
  t->intents[row].active = 0;
}
