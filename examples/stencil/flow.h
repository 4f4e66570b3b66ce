// The equations: those of Navier and Stokes for a compressible gas of three species, fuel + oxidiser -> 2 product.
//
// As in S3D: derivatives of what the gas has (velocity, temperature, fractions) give fluxes, derivatives of fluxes give
// rates; 45 derivatives, each along one axis, so 45 exchanges of layers a stage.
#pragma once
#include "fields.h"
#include "halo.h"

static const double kGamma = 1.4;        // ratio of specific heats; the gas constant is 1
static const double kHeat = 5.0;         // what a unit of fuel sets free
static const double kViscosity = 0.05;   // enough for waves of the grid's own size
static const double kConduction = 0.25;  // of heat
static const double kDiffusion = 0.06;   // of species, times density
static const double kReaction = 20.0;    // how often molecules meet
static const double kActivation = 8.0;   // temperature from which they react

// Sets fields->rate from fields->values.
void flow_rates(Halo* halo, Fields* fields);
