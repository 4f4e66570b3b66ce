// What all ranks know together about the state.
#pragma once
#include <stdint.h>

#include "fields.h"

typedef struct {
  double coldest, hottest, fastest;
  double sums[kVariables];  // over the whole grid
} Monitor;

// All ranks together. Ends the run where the state has become nonsense.
Monitor monitor_read(const Grid* grid, const Fields* fields, int step);

// By rank 0.
void monitor_print(const Grid* grid, const Monitor* now, int step);

// How far the sums that nothing may change went from those at first, as a part of them: mass, energy, and the atoms of
// fuel and of oxidiser, of which the product has one each.
double monitor_drift(const Monitor* first, const Monitor* last);

// Of every bit of the state, the same for any number of ranks. On all ranks.
uint64_t monitor_checksum(const Grid* grid, const Fields* fields);
