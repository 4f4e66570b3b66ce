// One file of all ranks, by MPI-IO: each variable is written by all together, each rank its block.
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "checkpoint.h"
#include "fail.h"

typedef struct {
  MPI_File file;
  MPI_Datatype block;  // where the rank's points are among all points of a variable
  char path[PATH_MAX];
} Shared;

static void check(const Shared* shared, int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char why[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, why, &length);
  fail("cannot %s %s: %s", what, shared->path, why);
}

static MPI_Datatype block_of(const Grid* grid) {
  int whole[kAxes], part[kAxes], start[kAxes];
  for (int i = 0; i < kAxes; ++i) {  // slowest axis first
    whole[i] = grid->points[kAxes - 1 - i];
    part[i] = grid->count[kAxes - 1 - i];
    start[i] = grid->first[kAxes - 1 - i];
  }
  MPI_Datatype type;
  MPI_Type_create_subarray(kAxes, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static void shared_open(Shared* shared, const Grid* grid, int step, const char* directory, int mode) {
  const int length = snprintf(shared->path, PATH_MAX, "%s/checkpoint_%06d", directory, step);
  if (length >= PATH_MAX) fail("the name of the directory is too long");
  check(shared, MPI_File_open(grid->comm, shared->path, mode, MPI_INFO_NULL, &shared->file), "open");
}

// Behind the header, a variable after the other.
static void shared_view(Shared* shared, const Grid* grid) {
  shared->block = block_of(grid);
  const MPI_Offset begin = sizeof(CheckpointHeader);
  check(shared, MPI_File_set_view(shared->file, begin, MPI_DOUBLE, shared->block, "native", MPI_INFO_NULL), "view");
}

static void shared_close(Shared* shared) {
  MPI_Type_free(&shared->block);
  check(shared, MPI_File_close(&shared->file), "close");
}

static CheckpointHeader header_of(const Grid* grid, int step) {
  static const int kOrigin[kAxes] = {0, 0, 0};
  return checkpoint_header(grid, step, kOrigin, grid->points);
}

void shared_write(const Grid* grid, const Fields* fields, int step, const char* directory) {
  Shared shared;
  shared_open(&shared, grid, step, directory, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  check(&shared, MPI_File_set_size(shared.file, 0), "empty");  // there may be one of an earlier run
  const CheckpointHeader header = header_of(grid, step);
  if (grid->rank == 0)
    check(&shared, MPI_File_write_at(shared.file, 0, &header, sizeof header, MPI_BYTE, MPI_STATUS_IGNORE), "write");
  shared_view(&shared, grid);
  for (int v = 0; v < kVariables; ++v) {
    const int code = MPI_File_write_all(shared.file, fields->values[v], (int)grid->size, MPI_DOUBLE, MPI_STATUS_IGNORE);
    check(&shared, code, "write");
  }
  shared_close(&shared);
}

void shared_verify(const Grid* grid, const Fields* fields, int step, const char* directory) {
  Shared shared;
  shared_open(&shared, grid, step, directory, MPI_MODE_RDONLY);
  const CheckpointHeader header = header_of(grid, step);
  CheckpointHeader found;
  check(&shared, MPI_File_read_at_all(shared.file, 0, &found, sizeof found, MPI_BYTE, MPI_STATUS_IGNORE), "read");
  if (memcmp(&found, &header, sizeof header) != 0) fail("%s has another header than was written", shared.path);
  shared_view(&shared, grid);
  for (int v = 0; v < kVariables; ++v) {
    MPI_Status status;
    int got;
    check(&shared, MPI_File_read_all(shared.file, fields->slope, (int)grid->size, MPI_DOUBLE, &status), "read");
    MPI_Get_count(&status, MPI_DOUBLE, &got);
    if ((size_t)got != grid->size) fail("%s is too short", shared.path);
    if (memcmp(fields->slope, fields->values[v], grid->size * sizeof(double)) != 0)
      fail("%s: variable %d is not what was written", shared.path, v);
  }
  shared_close(&shared);
}
