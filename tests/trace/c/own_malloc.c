// A program that brings its own malloc, with a lock that its threads contend for. Says "ok".
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char memory[64 << 20];
static size_t used;

void* malloc(size_t bytes) {
  pthread_mutex_lock(&lock);
  const size_t at = used;
  used += (bytes + 31) / 16 * 16;
  if (used > sizeof memory) _exit(3);
  for (volatile int i = 0; i < 100; ++i) {
  }
  *(size_t*)(memory + at) = bytes;
  pthread_mutex_unlock(&lock);
  return memory + at + 16;
}
void free(void* it) { (void)it; }
void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void* realloc(void* it, size_t bytes) {
  void* now = malloc(bytes);
  if (it) memcpy(now, it, ((size_t*)it)[-2] < bytes ? ((size_t*)it)[-2] : bytes);
  return now;
}

static void* allocate(void* sum) {
  for (int i = 0; i < 20000; ++i) *(volatile char*)malloc(64) = 1;
  return sum;
}

int main(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, allocate, NULL);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
  return write(1, "ok\n", 3) != 3;
}
