// What flows through a face of a unit's area, of each variable.
#pragma once
#include "fields.h"

// Sets fields->flux to that of a variable along an axis.
void flux_find(size_t size, Fields* fields, int variable, int axis);
