#include "flux.h"

#include "flow.h"
#include "quiet.h"

// Stress of layers that move past each other: along `axis`, on a face across `face`.
QUIET static inline double stress(const Fields* f, int axis, int face, size_t i) {
  const double both = f->gradient[kVelocity + axis][face][i] + f->gradient[kVelocity + face][axis][i];
  if (axis != face) return kViscosity * both;
  const double opening =
      f->gradient[kVelocity][0][i] + f->gradient[kVelocity + 1][1][i] + f->gradient[kVelocity + 2][2][i];
  return kViscosity * (both - 2. / 3 * opening);
}

static void of_momentum(size_t size, Fields* f, int along, int axis) {
  const double *momentum = f->values[kMomentum + along], *velocity = f->primitive[kVelocity + axis];
  const double *density = f->values[kDensity], *temperature = f->primitive[kTemperature];
  for (size_t i = 0; i < size; ++i) {
    const double pressure = along == axis ? density[i] * temperature[i] : 0;
    f->flux[i] = momentum[i] * velocity[i] + pressure - stress(f, along, axis, i);
  }
}

static void of_energy(size_t size, Fields* f, int axis) {
  const double *energy = f->values[kEnergy], *density = f->values[kDensity], *temperature = f->primitive[kTemperature];
  for (size_t i = 0; i < size; ++i) {
    double work = 0;
    for (int along = 0; along < kAxes; ++along) work += f->primitive[kVelocity + along][i] * stress(f, along, axis, i);
    const double heat = kConduction * f->gradient[kTemperature][axis][i];
    const double held = kHeat * kDiffusion * f->gradient[kFraction][axis][i];  // goes with the fuel
    f->flux[i] = (energy[i] + density[i] * temperature[i]) * f->primitive[kVelocity + axis][i] - work - heat - held;
  }
}

static void of_species(size_t size, Fields* f, int species, int axis) {
  const double *partial = f->values[kPartial + species], *velocity = f->primitive[kVelocity + axis];
  const double* gradient = f->gradient[kFraction + species][axis];
  for (size_t i = 0; i < size; ++i) f->flux[i] = partial[i] * velocity[i] - kDiffusion * gradient[i];
}

static void of_mass(size_t size, Fields* f, int axis) {
  for (size_t i = 0; i < size; ++i) f->flux[i] = f->values[kMomentum + axis][i];
}

void flux_find(size_t size, Fields* fields, int variable, int axis) {
  if (variable == kDensity)
    of_mass(size, fields, axis);
  else if (variable < kEnergy)
    of_momentum(size, fields, variable - kMomentum, axis);
  else if (variable == kEnergy)
    of_energy(size, fields, axis);
  else
    of_species(size, fields, variable - kPartial, axis);
}
