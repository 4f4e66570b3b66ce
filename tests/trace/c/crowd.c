// Many threads: crowd DIRECTORY at-once|over-time|uneven|stubborn|flood|kinds N. Each writes its number to one file, as
// often as told; `uneven`: 0 to 39 times; `flood`: 5,000 times to one of its own, all at once; prints how often they
// slept.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <threads.h>
#include <unistd.h>

#define CHECK(it) ((it) ? (void)0 : (perror(#it), exit(2)))
enum { kWrites = 5 };

static int file;
static const char* directory;
static pthread_barrier_t all;
static pthread_key_t late, again;

static void write_number(uintptr_t number, int times) {
  const uint64_t value = number;
  for (int i = 0; i < times; ++i)
    CHECK(pwrite(file, &value, sizeof value, (off_t)((number * kWrites + (uintptr_t)i) * sizeof value)) == 8);
}

static void* write_and_end(void* number) {
  write_number((uintptr_t)number, kWrites);
  return NULL;
}

static void* write_together(void* number) {
  write_number((uintptr_t)number, 1);
  pthread_barrier_wait(&all);
  for (int i = 1; i < kWrites; ++i) write_number((uintptr_t)number, 1);
  return NULL;
}

static void* write_a_lot(void* number) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%u", directory, (unsigned)(uintptr_t)number);
  const int own = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);  // nobody waits for the file's lock
  CHECK(own >= 0);
  pthread_barrier_wait(&all);
  for (int i = 0; i < 5000; ++i) CHECK(write(own, &number, sizeof number) == sizeof number);
  close(own);
  return NULL;
}

static int of_c11(void* number) {
  write_number((uintptr_t)number, kWrites);
  return 7;
}

static void at_its_end(void* number) { write_number((uintptr_t)number, 1); }

static void* writes_when_it_ends(void* number) {
  write_number((uintptr_t)number, kWrites - 1);
  pthread_setspecific(late, number);
  pthread_exit(number);
}

static void again_and_again(void* behind_number) {  // null would be no value
  static _Thread_local int rounds;
  write_number((uintptr_t)behind_number - 1, 1);
  if (++rounds < 3) pthread_setspecific(again, behind_number);
}

static void* is_stubborn(void* number) {
  write_number((uintptr_t)number, kWrites - 3);
  pthread_setspecific(again, (char*)number + 1);
  return NULL;
}

static void* write_some(void* number) {
  write_number((uintptr_t)number, (int)((uintptr_t)number * 2654435761u >> 7 & 0xffff) % 40);
  return NULL;
}

static void start(pthread_t* thread, void* (*what)(void*), uintptr_t number) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  CHECK(pthread_create(thread, &small, what, (void*)number) == 0);
  pthread_attr_destroy(&small);
}

static void over_time(void* (*what)(void*), unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    pthread_t thread;
    start(&thread, what, i);
    CHECK(pthread_join(thread, NULL) == 0);
  }
}

static void at_once(void* (*what)(void*), unsigned n) {
  pthread_t* threads = calloc(n, sizeof *threads);
  pthread_barrier_init(&all, NULL, n);
  for (unsigned i = 0; i < n; ++i) start(&threads[i], what, i);
  for (unsigned i = 0; i < n; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  free(threads);
}

static void flood(unsigned n) {
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  at_once(write_a_lot, n);
  getrusage(RUSAGE_SELF, &after);
  printf("%ld\n", after.ru_nvcsw - before.ru_nvcsw);
}

static void some_kinds(void) {
  thrd_t thread;
  pthread_t late_one;
  int result;
  void* value;
  CHECK(thrd_create(&thread, of_c11, (void*)1) == thrd_success);
  CHECK(thrd_join(thread, &result) == thrd_success && result == 7);
  pthread_key_create(&late, at_its_end);
  start(&late_one, writes_when_it_ends, 2);
  CHECK(pthread_join(late_one, &value) == 0 && value == (void*)2);
}

int main(int count, char** arguments) {
  char path[4096];
  CHECK(count == 4);
  directory = arguments[1];
  snprintf(path, sizeof path, "%s/numbers", directory);
  CHECK((file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0);
  CHECK(pthread_key_create(&again, again_and_again) == 0);
  const unsigned n = (unsigned)atoi(arguments[3]);
  if (strcmp(arguments[2], "over-time") == 0)
    over_time(write_and_end, n);
  else if (strcmp(arguments[2], "uneven") == 0)
    over_time(write_some, n);
  else if (strcmp(arguments[2], "at-once") == 0)
    at_once(write_together, n);
  else if (strcmp(arguments[2], "flood") == 0)
    flood(n);
  else if (strcmp(arguments[2], "stubborn") == 0)
    over_time(is_stubborn, n);
  else
    some_kinds();
  return close(file);
}
