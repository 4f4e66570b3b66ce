// Layers of points from the neighbours, along one axis and of one variable at a time.
#pragma once
#include "grid.h"

typedef struct {
  const Grid* grid;
  MPI_Datatype first[kAxes], last[kAxes];  // the outermost kHalo layers of a block, in place
  int points[kAxes];                       // of kHalo layers
  double *before[kAxes], *after[kAxes];    // the neighbours' layers, dense, axes in the order of the block's
  MPI_Request requests[4];
} Halo;

Halo halo_make(const Grid* grid);
void halo_free(Halo* halo);

// `block` is sent, and neither it nor the layers may be touched, until halo_end has returned.
void halo_begin(Halo* halo, int axis, const double* block);
void halo_end(Halo* halo);
