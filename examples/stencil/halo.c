#include "halo.h"

#include <stdlib.h>

#include "fail.h"

static MPI_Datatype layers(const Grid* grid, int axis, int from) {
  int whole[kAxes], part[kAxes], start[kAxes];
  for (int i = 0; i < kAxes; ++i) {  // slowest axis first
    const int own = kAxes - 1 - i;
    whole[i] = part[i] = grid->count[own];
    start[i] = 0;
    if (own != axis) continue;
    part[i] = kHalo;
    start[i] = from;
  }
  MPI_Datatype type;
  MPI_Type_create_subarray(kAxes, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

Halo halo_make(const Grid* grid) {
  Halo halo = {.grid = grid};
  for (int axis = 0; axis < kAxes; ++axis) {
    halo.first[axis] = layers(grid, axis, 0);
    halo.last[axis] = layers(grid, axis, grid->count[axis] - kHalo);
    const size_t points = grid->size / (size_t)grid->count[axis] * kHalo;
    halo.points[axis] = (int)points;
    halo.before[axis] = malloc(points * sizeof(double));
    halo.after[axis] = malloc(points * sizeof(double));
    if (!halo.before[axis] || !halo.after[axis]) fail("no memory for the layers of neighbours");
  }
  return halo;
}

void halo_free(Halo* halo) {
  for (int axis = 0; axis < kAxes; ++axis) {
    MPI_Type_free(&halo->first[axis]);
    MPI_Type_free(&halo->last[axis]);
    free(halo->before[axis]);
    free(halo->after[axis]);
  }
}

void halo_begin(Halo* halo, int axis, const double* block) {
  const Grid* grid = halo->grid;
  const int before = grid->before[axis], after = grid->after[axis];
  // With two ranks along an axis both neighbours are the same rank: the tag says to which side layers go.
  const int upwards = 2 * axis, downwards = 2 * axis + 1;
  MPI_Irecv(halo->before[axis], halo->points[axis], MPI_DOUBLE, before, upwards, grid->comm, &halo->requests[0]);
  MPI_Irecv(halo->after[axis], halo->points[axis], MPI_DOUBLE, after, downwards, grid->comm, &halo->requests[1]);
  MPI_Isend(block, 1, halo->last[axis], after, upwards, grid->comm, &halo->requests[2]);
  MPI_Isend(block, 1, halo->first[axis], before, downwards, grid->comm, &halo->requests[3]);
}

void halo_end(Halo* halo) {
  MPI_Status statuses[4];  // nobody looks at them; GCC takes MPICH's MPI_STATUSES_IGNORE for an array of no size
  MPI_Waitall(4, halo->requests, statuses);
}
