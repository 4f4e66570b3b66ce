#include "checkpoint.h"

#include <errno.h>
#include <headrace/phases.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"

_Static_assert(sizeof(CheckpointHeader) == 64, "the header has no gaps");

void checkpoint_prepare(const Grid* grid, const Checkpoints* all) {
  if (grid->rank == 0 && mkdir(all->directory, 0777) != 0 && errno != EEXIST)
    fail("cannot make the directory %s: %s", all->directory, strerror(errno));
  MPI_Barrier(grid->comm);  // nobody opens files in it before
}

CheckpointHeader checkpoint_header(const Grid* grid, int step, const int first[kAxes], const int count[kAxes]) {
  CheckpointHeader header = {.version = 1, .step = step, .variables = kVariables};
  memcpy(header.kind, "stencil\n", sizeof header.kind);
  for (int axis = 0; axis < kAxes; ++axis) {
    header.points[axis] = grid->points[axis];
    header.first[axis] = first[axis];
    header.count[axis] = count[axis];
  }
  return header;
}

static uint64_t points_of_all(const Grid* grid) {
  return (uint64_t)grid->points[0] * (uint64_t)grid->points[1] * (uint64_t)grid->points[2];
}

void checkpoint_write(const Grid* grid, const Fields* fields, int step, Checkpoints* all) {
  headrace_phase_begin("checkpoint");
  headrace_phase_begin("write");
  (all->kind == kFiles ? files_write : shared_write)(grid, fields, step, all->directory);
  headrace_phase_end("write");
  if (all->verify) {
    headrace_phase_begin("verify");
    (all->kind == kFiles ? files_verify : shared_verify)(grid, fields, step, all->directory);
    headrace_phase_end("verify");
  }
  headrace_phase_end("checkpoint");
  const int files = all->kind == kFiles ? grid->ranks : 1;
  all->checkpoints += 1;
  all->files += files;
  all->bytes += (uint64_t)files * sizeof(CheckpointHeader) + points_of_all(grid) * kVariables * sizeof(double);
}
