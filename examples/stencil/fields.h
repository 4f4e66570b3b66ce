// What is known at the points of a rank's block.
#pragma once
#include "grid.h"

enum { kSpecies = 3 };

// What is conserved, per volume.
enum {
  kDensity,
  kMomentum,                    // along x, y, z
  kEnergy = kMomentum + kAxes,  // kinetic, thermal, and what the fuel holds
  kPartial,                     // densities of fuel, oxidiser, product
  kVariables = kPartial + kSpecies,
};

// What fluxes are computed from.
enum {
  kVelocity,  // along x, y, z
  kTemperature = kVelocity + kAxes,
  kFraction,  // of fuel, oxidiser, product
  kPrimitives = kFraction + kSpecies,
};

typedef struct {
  double* memory;
  double* values[kVariables];
  double* rate[kVariables];    // of change, by the equations
  double* change[kVariables];  // what a Runge-Kutta stage hands to the next
  double* primitive[kPrimitives];
  double* gradient[kPrimitives][kAxes];
  double *flux, *slope;  // of one variable along one axis
} Fields;

Fields fields_make(const Grid* grid);
void fields_free(Fields* fields);

// The state at the beginning: counter-rotating vortices at equal pressure, with a hot kernel in the middle.
void fields_start(const Grid* grid, Fields* fields);
