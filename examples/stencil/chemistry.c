#include "chemistry.h"

#include <math.h>
#include <string.h>

#include "flow.h"

void chemistry_rates(size_t size, Fields* f) {
  for (int v = 0; v < kPartial; ++v) memset(f->rate[v], 0, size * sizeof(double));
  const double *fuel = f->values[kPartial], *oxidiser = f->values[kPartial + 1],
               *temperature = f->primitive[kTemperature];
  for (size_t i = 0; i < size; ++i) {
    // Energy has what the fuel holds: the reaction makes it thermal and changes no sum.
    const double burnt = kReaction * fuel[i] * oxidiser[i] * exp(-kActivation / temperature[i]);
    f->rate[kPartial][i] = -burnt;
    f->rate[kPartial + 1][i] = -burnt;
    f->rate[kPartial + 2][i] = 2 * burnt;
  }
}
