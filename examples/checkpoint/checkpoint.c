/* A small heat simulation that writes checkpoints the way many codes do, mistakes included:
 *
 *   - the state goes out one row of 512 bytes at a time behind a 12-byte header, so that every write is small and
 *     none is aligned;
 *   - the header is rewritten after every row, which moves the file position back and forth;
 *   - progress is appended to a log that is opened and closed for each line;
 *   - every checkpoint is synced although the next one replaces it;
 *   - the restart test reads the last checkpoint back 512 bytes at a time.
 *
 * One thing is right: a checkpoint is written under a temporary name and renamed, so a killed run leaves a whole file.
 *
 * Usage: checkpoint DIRECTORY [STEPS]        (default: 40 steps, a checkpoint every 10)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kRows = 256, kColumns = 64, kStepsPerCheckpoint = 10 };

struct Header {
  char magic[7];
  unsigned char step;
  unsigned char rows_written[4];
} __attribute__((packed));

static double grid[2][kRows][kColumns];

static void fail(const char* what, const char* path) {
  fprintf(stderr, "checkpoint: cannot %s %s: %s\n", what, path, strerror(errno));
  exit(1);
}

static void start(void) {
  for (int row = 0; row < kRows; row++) {
    for (int column = 0; column < kColumns; column++) grid[0][row][column] = row == 0 ? 100.0 : 0.0;
  }
  memcpy(grid[1], grid[0], sizeof grid[0]);
}

/* One explicit step of the heat equation; the borders keep their temperature. */
static void advance(int step) {
  double (*from)[kColumns] = grid[step % 2];
  double (*to)[kColumns] = grid[(step + 1) % 2];
  for (int row = 1; row < kRows - 1; row++) {
    for (int column = 1; column < kColumns - 1; column++) {
      double around = from[row - 1][column] + from[row + 1][column] + from[row][column - 1] + from[row][column + 1];
      to[row][column] = from[row][column] + 0.2 * (around - 4.0 * from[row][column]);
    }
  }
}

static void write_all(int descriptor, const void* data, size_t size, const char* path) {
  if (write(descriptor, data, size) != (ssize_t)size) fail("write", path);
}

static void write_checkpoint(const char* directory, int step) {
  char path[4096], temporary[4096 + 8];
  snprintf(path, sizeof path, "%s/state-%04d.ckpt", directory, step);
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  int descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (descriptor < 0) fail("create", temporary);

  struct Header header = {"HEAT01", (unsigned char)step, {0}};
  write_all(descriptor, &header, sizeof header, temporary);
  for (int row = 0; row < kRows; row++) {
    write_all(descriptor, grid[step % 2][row], sizeof grid[0][row], temporary);
    header.rows_written[0] = (unsigned char)(row + 1);
    header.rows_written[1] = (unsigned char)((row + 1) >> 8);
    if (lseek(descriptor, 0, SEEK_SET) < 0) fail("seek in", temporary);
    write_all(descriptor, &header, sizeof header, temporary);
    if (lseek(descriptor, 0, SEEK_END) < 0) fail("seek in", temporary);
  }
  if (fsync(descriptor) != 0) fail("sync", temporary);
  if (close(descriptor) != 0) fail("close", temporary);
  if (rename(temporary, path) != 0) fail("rename", temporary);
}

static void log_progress(const char* directory, int step) {
  char path[4096];
  snprintf(path, sizeof path, "%s/progress.log", directory);
  FILE* log = fopen(path, "a");
  if (log == NULL) fail("open", path);
  fprintf(log, "step %d: centre %.3f\n", step, grid[step % 2][kRows / 8][kColumns / 2]);
  if (fclose(log) != 0) fail("close", path);
}

/* Reads the checkpoint back as a restart would; returns how many bytes it holds. */
static long read_checkpoint(const char* directory, int step) {
  char path[4096], piece[512];
  snprintf(path, sizeof path, "%s/state-%04d.ckpt", directory, step);
  int descriptor = open(path, O_RDONLY);
  if (descriptor < 0) fail("open", path);
  long total = 0;
  ssize_t got;
  while ((got = read(descriptor, piece, sizeof piece)) > 0) total += got;
  if (got < 0) fail("read", path);
  close(descriptor);
  return total;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s DIRECTORY [STEPS]\n", argv[0]);
    return 2;
  }
  const char* directory = argv[1];
  int steps = argc > 2 ? atoi(argv[2]) : 40;
  if (steps < kStepsPerCheckpoint || steps > 200) {
    fprintf(stderr, "checkpoint: STEPS must lie between %d and 200\n", kStepsPerCheckpoint);
    return 2;
  }
  if (mkdir(directory, 0755) != 0 && errno != EEXIST) fail("create", directory);

  int saved = 0;
  start();
  for (int step = 1; step <= steps; step++) {
    advance(step - 1);
    log_progress(directory, step);
    if (step % kStepsPerCheckpoint == 0) write_checkpoint(directory, saved = step);
  }
  long expected = (long)(sizeof(struct Header) + sizeof grid[0]);
  long stored = read_checkpoint(directory, saved);
  printf("%d steps, %d checkpoints of %ld bytes in %s\n", steps, steps / kStepsPerCheckpoint, stored, directory);
  return stored == expected ? 0 : 1;
}
