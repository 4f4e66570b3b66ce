#include "grid.h"

#include <limits.h>

// The first point of part number `part`: the first parts have one more where points do not come out even.
static int first_of(int points, int parts, int part) {
  int left = points % parts;
  return part * (points / parts) + (part < left ? part : left);
}

// What the largest block sends to its neighbours, in points.
static long surface(const int points[kAxes], const int parts[kAxes]) {
  long size[kAxes];
  for (int axis = 0; axis < kAxes; ++axis) size[axis] = (points[axis] + parts[axis] - 1) / parts[axis];
  return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

bool grid_divide(const int points[kAxes], int ranks, int parts[kAxes]) {
  long least = LONG_MAX;
  for (int z = ranks; z >= 1; --z) {  // z first: its faces are contiguous
    if (ranks % z != 0) continue;
    for (int y = ranks / z; y >= 1; --y) {
      if (ranks / z % y != 0) continue;
      const int tried[kAxes] = {ranks / z / y, y, z};
      bool fits = true;
      for (int axis = 0; axis < kAxes; ++axis) fits = fits && points[axis] / tried[axis] >= kHalo;
      if (!fits || surface(points, tried) >= least) continue;
      least = surface(points, tried);
      for (int axis = 0; axis < kAxes; ++axis) parts[axis] = tried[axis];
    }
  }
  return least != LONG_MAX;
}

void grid_stack(int ranks, int parts[kAxes]) {
  int least = INT_MAX;
  for (int z = ranks; z >= 1; --z) {
    if (ranks % z != 0) continue;
    for (int y = ranks / z; y >= 1; --y) {
      if (ranks / z % y != 0 || z + y + ranks / z / y >= least) continue;
      least = z + y + ranks / z / y;
      parts[0] = ranks / z / y;
      parts[1] = y;
      parts[2] = z;
    }
  }
}

Grid grid_make(const int points[kAxes], const int parts[kAxes]) {
  Grid grid = {.size = 1};
  // MPI counts axes from the slowest, here from the fastest.
  const int sizes[kAxes] = {parts[2], parts[1], parts[0]}, periodic[kAxes] = {1, 1, 1};
  MPI_Cart_create(MPI_COMM_WORLD, kAxes, sizes, periodic, 0, &grid.comm);
  MPI_Comm_rank(grid.comm, &grid.rank);
  MPI_Comm_size(grid.comm, &grid.ranks);
  int place[kAxes];
  MPI_Cart_coords(grid.comm, grid.rank, kAxes, place);
  for (int axis = 0; axis < kAxes; ++axis) {
    const int part = place[kAxes - 1 - axis];
    grid.points[axis] = points[axis];
    grid.parts[axis] = parts[axis];
    grid.first[axis] = first_of(points[axis], parts[axis], part);
    grid.count[axis] = first_of(points[axis], parts[axis], part + 1) - grid.first[axis];
    grid.size *= (size_t)grid.count[axis];
    MPI_Cart_shift(grid.comm, kAxes - 1 - axis, 1, &grid.before[axis], &grid.after[axis]);
  }
  return grid;
}

void grid_free(Grid* grid) { MPI_Comm_free(&grid->comm); }
