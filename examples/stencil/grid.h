// The periodic grid of points, and the block of it that a rank has.
//
// Axes are x, y, z; x runs fastest in memory. The distance of two points is 1.
#pragma once
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  kAxes = 3,
  kHalo = 4,  // points that a stencil reaches to either side
};

typedef struct {
  MPI_Comm comm;  // Cartesian
  int rank, ranks;
  int parts[kAxes];   // ranks along each axis
  int points[kAxes];  // of the whole grid
  int first[kAxes], count[kAxes];
  size_t size;                      // points of the block
  int before[kAxes], after[kAxes];  // neighbours
} Grid;

// How to arrange the ranks so that each has a block of at least kHalo points along each axis, with as little surface as
// there can be. False: in no way.
bool grid_divide(const int points[kAxes], int ranks, int parts[kAxes]);

// How to arrange equal blocks so that the whole is as near to a cube as it gets.
void grid_stack(int ranks, int parts[kAxes]);

// All ranks together.
Grid grid_make(const int points[kAxes], const int parts[kAxes]);
void grid_free(Grid* grid);
