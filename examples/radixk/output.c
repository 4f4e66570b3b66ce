#include "output.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"

enum { kLongestHeader = 64, kBytes = 3 };  // bytes of a pixel

static int rank_of(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static size_t pixels_of(const Scene* scene) { return (size_t)scene->width * (size_t)scene->height; }

static int write_header(const Scene* scene, char header[kLongestHeader]) {
  return snprintf(header, kLongestHeader, "P6\n%d %d\n255\n", scene->width, scene->height);
}

static void name_file(char path[PATH_MAX], const Output* output, int frame) {
  if (snprintf(path, PATH_MAX, "%s/frame_%04d.ppm", output->directory, frame) >= PATH_MAX)
    fail("the name of the directory is too long");
}

void output_prepare(const Output* output) {
  if (rank_of() == 0 && mkdir(output->directory, 0777) != 0 && errno != EEXIST)
    fail("cannot make the directory %s: %s", output->directory, strerror(errno));
  MPI_Barrier(MPI_COMM_WORLD);  // nobody opens files in it before
}

static void write_alone(const char* path, const char* header, size_t length, const uint8_t* bytes, size_t size) {
  FILE* file = fopen(path, "wb");
  if (!file) fail("cannot open %s: %s", path, strerror(errno));
  const int wrong = fwrite(header, 1, length, file) != length || fwrite(bytes, 1, size, file) != size;
  if (fclose(file) != 0 || wrong) fail("cannot write %s: %s", path, strerror(errno));
}

// Rank 0 gets every piece and writes them.
static void gather(const char* path, const Scene* scene, const Radices* radices, const uint8_t* piece) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int *counts = malloc((size_t)ranks * sizeof *counts), *firsts = malloc((size_t)ranks * sizeof *firsts);
  uint8_t* whole = rank_of() == 0 ? malloc(pixels_of(scene) * kBytes) : NULL;
  if (!counts || !firsts || (rank_of() == 0 && !whole)) fail("no memory for the whole image");
  for (int i = 0; i < ranks; ++i) {
    const Range range = composite_piece(pixels_of(scene), radices, i);
    counts[i] = (int)(range.count * kBytes);
    firsts[i] = (int)(range.first * kBytes);
  }
  MPI_Gatherv(piece, counts[rank_of()], MPI_BYTE, whole, counts, firsts, MPI_BYTE, 0, MPI_COMM_WORLD);
  char header[kLongestHeader];
  const int length = write_header(scene, header);
  if (whole) write_alone(path, header, (size_t)length, whole, pixels_of(scene) * kBytes);
  free(whole);
  free(firsts);
  free(counts);
}

static void check(int code, const char* what, const char* path) {
  if (code == MPI_SUCCESS) return;
  char why[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, why, &length);
  fail("cannot %s %s: %s", what, path, why);
}

// Each rank writes its piece to where it belongs.
static void write_together(const char* path, const Scene* scene, const Radices* radices, const uint8_t* piece) {
  const Range range = composite_piece(pixels_of(scene), radices, rank_of());
  char header[kLongestHeader];
  const int length = write_header(scene, header), mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
  MPI_File file;
  check(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file), "open", path);
  check(MPI_File_set_size(file, 0), "empty", path);  // there may be one of an earlier run
  if (rank_of() == 0) check(MPI_File_write_at(file, 0, header, length, MPI_BYTE, MPI_STATUS_IGNORE), "write", path);
  const MPI_Offset offset = length + (MPI_Offset)(range.first * kBytes);
  const int size = (int)(range.count * kBytes);
  check(MPI_File_write_at_all(file, offset, piece, size, MPI_BYTE, MPI_STATUS_IGNORE), "write", path);
  check(MPI_File_close(&file), "close", path);
}

size_t output_write(const Output* output, const Scene* scene, const Radices* radices, int frame, const uint8_t* piece) {
  char path[PATH_MAX], header[kLongestHeader];
  name_file(path, output, frame);
  (output->kind == kGather ? gather : write_together)(path, scene, radices, piece);
  return (size_t)write_header(scene, header) + pixels_of(scene) * kBytes;
}

static size_t read_file(const char* path, uint8_t* bytes, size_t most) {
  FILE* file = fopen(path, "rb");
  if (!file) fail("cannot open %s: %s", path, strerror(errno));
  const size_t got = fread(bytes, 1, most, file);
  if (ferror(file)) fail("cannot read %s: %s", path, strerror(errno));
  fclose(file);
  return got;
}

void output_verify(const Output* output, const Scene* scene, int frame, const uint8_t* pixels) {
  char path[PATH_MAX], header[kLongestHeader];
  name_file(path, output, frame);
  const size_t length = (size_t)write_header(scene, header), size = pixels_of(scene) * kBytes;
  uint8_t* bytes = malloc(length + size + 1);  // one more would be too many
  if (!bytes) fail("no memory to read %s", path);
  if (read_file(path, bytes, length + size + 1) != length + size || memcmp(bytes, header, length) != 0)
    fail("%s is not an image of this size", path);
  size_t wrong = 0;
  for (size_t i = 0; i < size; i += kBytes) wrong += memcmp(bytes + length + i, pixels + i, kBytes) != 0;
  if (wrong) fail("%s: %zu pixels are not those of the serial image", path, wrong);
  free(bytes);
}
