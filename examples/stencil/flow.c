#include "flow.h"

#include "chemistry.h"
#include "flux.h"
#include "sweep.h"

static void find_primitives(size_t size, Fields* f) {
  const double* density = f->values[kDensity];
  for (size_t i = 0; i < size; ++i) {
    const double volume = 1 / density[i];
    double motion = 0;
    for (int axis = 0; axis < kAxes; ++axis) {
      const double velocity = f->values[kMomentum + axis][i] * volume;
      f->primitive[kVelocity + axis][i] = velocity;
      motion += velocity * velocity / 2;
    }
    for (int s = 0; s < kSpecies; ++s) f->primitive[kFraction + s][i] = f->values[kPartial + s][i] * volume;
    const double thermal = f->values[kEnergy][i] * volume - motion - kHeat * f->primitive[kFraction][i];
    f->primitive[kTemperature][i] = (kGamma - 1) * thermal;
  }
}

static void find_gradients(Halo* halo, Fields* f) {
  for (int p = 0; p < kPrimitives; ++p)
    for (int axis = 0; axis < kAxes; ++axis) sweep(halo, axis, difference, f->primitive[p], f->gradient[p][axis]);
}

static void add_divergence(size_t size, const double* slope, double* rate) {
  for (size_t i = 0; i < size; ++i) rate[i] -= slope[i];
}

void flow_rates(Halo* halo, Fields* f) {
  const size_t size = halo->grid->size;
  find_primitives(size, f);
  find_gradients(halo, f);
  chemistry_rates(size, f);
  for (int v = 0; v < kVariables; ++v)
    for (int axis = 0; axis < kAxes; ++axis) {
      flux_find(size, f, v, axis);
      sweep(halo, axis, difference, f->flux, f->slope);
      add_divergence(size, f->slope, f->rate[v]);
    }
}
