// What burns.
#pragma once
#include "fields.h"

// Sets fields->rate to what the reaction alone does, from partial densities and temperature.
void chemistry_rates(size_t size, Fields* fields);
