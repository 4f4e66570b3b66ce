// A stencil of 2 * kHalo + 1 points, along one axis, over a rank's block.
#pragma once
#include "halo.h"

// Weighs rows of points: rows[kHalo] is at the points themselves, rows[0] is kHalo points before. Results do not depend
// on where a row was cut, so they are those of one rank, bit by bit, however the grid is shared.
typedef void Stencil(double* restrict out, const double* const rows[2 * kHalo + 1], int points);

Stencil difference;  // the first derivative, of order 8
Stencil smooth;      // what is left without the waves that are too short for the grid, by a filter of order 8

// Exchanges layers while it works on the points that need none.
void sweep(Halo* halo, int axis, Stencil* stencil, const double* in, double* out);
