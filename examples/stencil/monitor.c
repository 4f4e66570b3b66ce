#include "monitor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "flow.h"
#include "quiet.h"

QUIET static double larger(double a, double b) { return a > b ? a : b; }

static void extremes(const Grid* grid, const Fields* f, double found[3]) {
  found[0] = -INFINITY;  // of minus the temperature, so that all three are maxima
  found[1] = found[2] = 0;
  for (size_t i = 0; i < grid->size; ++i) {
    double squares = 0;
    for (int axis = 0; axis < kAxes; ++axis) squares += f->values[kMomentum + axis][i] * f->values[kMomentum + axis][i];
    const double density = f->values[kDensity][i], motion = squares / (2 * density);
    const double thermal = f->values[kEnergy][i] - motion - kHeat * f->values[kPartial][i];
    const double temperature = (kGamma - 1) * thermal / density;
    found[0] = larger(found[0], -temperature);
    found[1] = larger(found[1], temperature);
    found[2] = larger(found[2], sqrt(squares) / density);
  }
}

// By lines, so that sums of many points lose few bits.
static double sum_of(const Grid* grid, const double* values) {
  const size_t length = (size_t)grid->count[0];
  double sum = 0;
  for (size_t line = 0; line < grid->size; line += length) {
    double part = 0;
    for (size_t i = 0; i < length; ++i) part += values[line + i];
    sum += part;
  }
  return sum;
}

Monitor monitor_read(const Grid* grid, const Fields* fields, int step) {
  double mine[3], all[3], sums[kVariables];
  extremes(grid, fields, mine);
  for (int v = 0; v < kVariables; ++v) sums[v] = sum_of(grid, fields->values[v]);
  Monitor now;
  MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_MAX, grid->comm);
  MPI_Allreduce(sums, now.sums, kVariables, MPI_DOUBLE, MPI_SUM, grid->comm);
  now.coldest = -all[0];
  now.hottest = all[1];
  now.fastest = all[2];
  for (int v = 0; v < kVariables; ++v)
    if (!isfinite(now.sums[v])) fail("step %d: the state is no longer finite: take another number of stages", step);
  return now;
}

void monitor_print(const Grid* grid, const Monitor* now, int step) {
  if (grid->rank != 0) return;
  printf("step %d: temperature %.4f to %.4f, speed up to %.4f, burnt %.4f %%\n", step, now->coldest, now->hottest,
         now->fastest, 100 * now->sums[kPartial + 2] / now->sums[kDensity]);
  fflush(stdout);
}

double monitor_drift(const Monitor* first, const Monitor* last) {
  const double *a = first->sums, *b = last->sums;
  const double before[] = {a[kDensity], a[kEnergy], a[kPartial] + a[kPartial + 2] / 2,
                           a[kPartial + 1] + a[kPartial + 2] / 2};
  const double after[] = {b[kDensity], b[kEnergy], b[kPartial] + b[kPartial + 2] / 2,
                          b[kPartial + 1] + b[kPartial + 2] / 2};
  double most = 0;
  for (int i = 0; i < 4; ++i) most = larger(most, fabs(after[i] / before[i] - 1));
  return most;
}

// Spreads the bits of a value and of its place over a word (the finaliser of splitmix64).
QUIET static uint64_t scatter(double value, uint64_t place) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits += place * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

// Words are added, so their order does not matter.
static uint64_t own_checksum(const Grid* grid, const double* values, int variable) {
  uint64_t sum = 0;
  size_t here = 0;
  for (int k = 0; k < grid->count[2]; ++k)
    for (int j = 0; j < grid->count[1]; ++j) {
      const uint64_t plane = (uint64_t)variable * (uint64_t)grid->points[2] + (uint64_t)(grid->first[2] + k);
      const uint64_t line = plane * (uint64_t)grid->points[1] + (uint64_t)(grid->first[1] + j);
      const uint64_t place = line * (uint64_t)grid->points[0] + (uint64_t)grid->first[0];
      for (int i = 0; i < grid->count[0]; ++i, ++here) sum += scatter(values[here], place + (uint64_t)i + 1);
    }
  return sum;
}

uint64_t monitor_checksum(const Grid* grid, const Fields* fields) {
  uint64_t mine = 0, all;
  for (int v = 0; v < kVariables; ++v) mine += own_checksum(grid, fields->values[v], v);
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, grid->comm);
  return all;
}
