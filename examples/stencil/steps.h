// Steps in time.
#pragma once
#include "fields.h"
#include "halo.h"

// Whether there is a scheme of so many stages.
bool steps_known(int stages);

// One step: that many stages of Runge and Kutta, and the filter.
void steps_take(Halo* halo, Fields* fields, int stages);
