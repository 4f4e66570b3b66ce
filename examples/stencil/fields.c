#include "fields.h"

#include <math.h>
#include <stdlib.h>

#include "fail.h"
#include "flow.h"
#include "quiet.h"

Fields fields_make(const Grid* grid) {
  enum { kArrays = 3 * kVariables + kPrimitives * (1 + kAxes) + 2 };
  Fields fields = {.memory = calloc(kArrays * grid->size, sizeof(double))};
  if (!fields.memory) fail("no memory for %zu points", grid->size);
  double* next = fields.memory;
  for (int v = 0; v < kVariables; ++v, next += 3 * grid->size) {
    fields.values[v] = next;
    fields.rate[v] = next + grid->size;
    fields.change[v] = next + 2 * grid->size;
  }
  for (int p = 0; p < kPrimitives; ++p) {
    fields.primitive[p] = next;
    next += grid->size;
    for (int axis = 0; axis < kAxes; ++axis, next += grid->size) fields.gradient[p][axis] = next;
  }
  fields.flux = next;
  fields.slope = next + grid->size;
  return fields;
}

void fields_free(Fields* fields) { free(fields->memory); }

// Everything depends on where the point is in the whole grid, nothing on whose it is.
QUIET static void start_at(const Grid* grid, Fields* f, size_t here, const int at[kAxes]) {
  double angle[kAxes], far = 0;
  for (int axis = 0; axis < kAxes; ++axis) {
    angle[axis] = 2 * 3.14159265358979323846 * (at[axis] + 0.5) / grid->points[axis];
    far += 1 + cos(angle[axis]);
  }
  const double hot = exp(-3 * far);
  const double velocity[kAxes] = {0.3 * sin(angle[0]) * cos(angle[1]) * cos(angle[2]),
                                  -0.3 * cos(angle[0]) * sin(angle[1]) * cos(angle[2]), 0.1 * sin(angle[0] + angle[1])};
  const double fuel = (0.4 + 0.1 * cos(angle[2])) * (1 - hot), product = hot;
  const double fractions[kSpecies] = {fuel, 1 - fuel - product, product};
  const double density = 1 / (1 + 2 * hot), pressure = 1;
  double energy = pressure / (kGamma - 1) + density * fuel * kHeat;
  f->values[kDensity][here] = density;
  for (int axis = 0; axis < kAxes; ++axis) {
    f->values[kMomentum + axis][here] = density * velocity[axis];
    energy += density * velocity[axis] * velocity[axis] / 2;
  }
  f->values[kEnergy][here] = energy;
  for (int s = 0; s < kSpecies; ++s) f->values[kPartial + s][here] = density * fractions[s];
}

void fields_start(const Grid* grid, Fields* fields) {
  size_t here = 0;
  for (int k = 0; k < grid->count[2]; ++k)
    for (int j = 0; j < grid->count[1]; ++j)
      for (int i = 0; i < grid->count[0]; ++i, ++here)
        start_at(grid, fields, here, (const int[]){grid->first[0] + i, grid->first[1] + j, grid->first[2] + k});
}
