// For functions that do the work of a point or a row: entered millions of times a second, they are no regions of a
// trace where the compiler reports each function that is entered and left (-finstrument-functions).
#pragma once

#define QUIET __attribute__((no_instrument_function))
