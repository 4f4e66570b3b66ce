// Streams at the edge of what the C library allows, one case a run: stream_edges CASE DIRECTORY.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox.h"

static FILE* shared;

// Calls that move nothing need no stream.
static int no_stream(void) {
  char byte;
  FILE* volatile none = NULL;
  return fread(&byte, 0, 0, none) == 0 && fwrite(&byte, 1, 0, none) == 0 ? 0 : 1;
}

// In a sandbox that kills a process for looking at its own memory through the kernel.
static int sandbox(void) {
  if (!forbid(SYS_process_vm_readv)) return 77;
  for (int i = 0; i < 1000; ++i) putchar('x');
  return 0;
}

// Offsets beyond 4 GiB in the buffer: the file itself, mapped.
static int mapped(const char* path) {
  FILE* file = fopen(path, "w");
  if (!file || fseeko(file, (off_t)6 << 30, SEEK_SET) != 0 || fputc('x', file) == EOF || fclose(file) != 0) return 2;
  file = fopen(path, "rm");
  char bytes[16];
  if (!file || fseeko(file, (off_t)5 << 30, SEEK_SET) != 0) return 3;
  for (int i = 0; i < 10; ++i)
    if (fread(bytes, sizeof bytes, 1, file) != 1) return 4;
  return fclose(file);
}

static void* scan(void* unused) {
  (void)unused;
  int value;
  for (int i = 0; i < 20000 && fscanf(shared, "%d", &value) == 1; ++i) continue;
  return NULL;
}

// Threads that read one stream in turn.
static int threads(const char* path) {
  FILE* file = fopen(path, "w");
  for (int i = 0; i < 80000; ++i) fprintf(file, "%07d\n", i);
  fclose(file);
  shared = fopen(path, "r");
  pthread_t readers[4];
  for (int i = 0; i < 4; ++i) pthread_create(&readers[i], NULL, scan, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(readers[i], NULL);
  return fclose(shared);
}

static void* print_lines(void* unused) {
  (void)unused;
  for (int i = 0; i < 500; ++i) fwrite("1234567\n", 8, 1, shared);
  return NULL;
}

// Single bytes before there are threads, whose calls come first after them.
static int bytes_then_threads(const char* path) {
  shared = fopen(path, "w");
  for (int i = 0; i < 7; ++i) fputc('x', shared);
  pthread_t writers[4];
  for (int i = 0; i < 4; ++i)
    if (pthread_create(&writers[i], NULL, print_lines, NULL) != 0) return 2;
  for (int i = 0; i < 4; ++i) pthread_join(writers[i], NULL);
  return fclose(shared);
}

// Another mode for an open stream.
static int another_mode(const char* path) {
  FILE* file = fopen(path, "w");
  fputs("0123456789", file);
  if (!freopen(NULL, "r", file)) return 2;
  char bytes[10];
  if (fread(bytes, 1, 10, file) != 10) return 3;
  return fclose(file);
}

// Calls besides writing, on a path that capture was told to leave out.
static int excluded(const char* path) {
  FILE* file = fopen(path, "w");
  if (!file) return 2;
  for (int i = 0; i < 3; ++i)
    if (fwrite("12345678", 8, 1, file) != 1 || fflush(file) != 0) return 3;
  if (fseek(file, 0, SEEK_SET) != 0) return 4;
  return fclose(file);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  char path[4096];
  snprintf(path, sizeof path, "%s/file", argv[2]);
  if (!strcmp(argv[1], "no-stream")) return no_stream();
  if (!strcmp(argv[1], "sandbox")) return sandbox();
  if (!strcmp(argv[1], "mapped")) return mapped(path);
  if (!strcmp(argv[1], "threads")) return threads(path);
  if (!strcmp(argv[1], "bytes-then-threads")) return bytes_then_threads(path);
  if (!strcmp(argv[1], "another-mode")) return another_mode(path);
  if (!strcmp(argv[1], "excluded")) return excluded(path);
  return 2;
}
