// A file per rank, by system calls.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint.h"
#include "fail.h"

static void name_file(char path[PATH_MAX], const Grid* grid, int step, const char* directory) {
  const int length = snprintf(path, PATH_MAX, "%s/checkpoint_%06d.%05d", directory, step, grid->rank);
  if (length >= PATH_MAX) fail("the name of the directory is too long");
}

static void write_all(int file, const char* path, const void* data, size_t size) {
  for (const char* next = data; size > 0;) {
    const ssize_t written = write(file, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write %s: %s", path, strerror(errno));
    next += written;
    size -= (size_t)written;
  }
}

static void read_all(int file, const char* path, void* data, size_t size) {
  for (char* next = data; size > 0;) {
    const ssize_t got = read(file, next, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read %s: %s", path, strerror(errno));
    if (got == 0) fail("%s is too short", path);
    next += got;
    size -= (size_t)got;
  }
}

static int open_file(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0666);
  if (file < 0) fail("cannot open %s: %s", path, strerror(errno));
  return file;
}

void files_write(const Grid* grid, const Fields* fields, int step, const char* directory) {
  char path[PATH_MAX];
  name_file(path, grid, step, directory);
  const int file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  const CheckpointHeader header = checkpoint_header(grid, step, grid->first, grid->count);
  write_all(file, path, &header, sizeof header);
  for (int v = 0; v < kVariables; ++v) write_all(file, path, fields->values[v], grid->size * sizeof(double));
  if (close(file) != 0) fail("cannot close %s: %s", path, strerror(errno));
}

void files_verify(const Grid* grid, const Fields* fields, int step, const char* directory) {
  char path[PATH_MAX];
  name_file(path, grid, step, directory);
  const int file = open_file(path, O_RDONLY);
  const CheckpointHeader header = checkpoint_header(grid, step, grid->first, grid->count);
  CheckpointHeader found;
  read_all(file, path, &found, sizeof found);
  if (memcmp(&found, &header, sizeof header) != 0) fail("%s has another header than was written", path);
  for (int v = 0; v < kVariables; ++v) {
    read_all(file, path, fields->slope, grid->size * sizeof(double));
    if (memcmp(fields->slope, fields->values[v], grid->size * sizeof(double)) != 0)
      fail("%s: variable %d is not what was written", path, v);
  }
  close(file);
}
