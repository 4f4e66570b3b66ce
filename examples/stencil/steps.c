#include "steps.h"

#include "flow.h"
#include "sweep.h"

// Schemes that keep, of all stages before, one sum a variable: change = kept * change + time * rate; values += used *
// change. Of Williamson (order 3), Carpenter and Kennedy (order 4), and of Berland, Bogey and Bailly (order 4 where the
// equations are linear, with little damping).
typedef struct {
  int stages;
  double kept[6], used[6];
} Scheme;

static const Scheme kSchemes[] = {
    {3, {0, -5. / 9, -153. / 128}, {1. / 3, 15. / 16, 8. / 15}},
    {5,
     {0, -567301805773. / 1357537059087, -2404267990393. / 2016746695238, -3550918686646. / 2091501179385,
      -1275806237668. / 842570457699},
     {1432997174477. / 9575080441755, 5161836677717. / 13612068292357, 1720146321549. / 2090206949498,
      3134564353537. / 4481467310338, 2277821191437. / 14882151754819}},
    {6,
     {0, -0.737101392796, -1.634740794341, -0.744739003780, -1.469897351522, -2.813971388035},
     {0.032918605146, 0.823256998200, 0.381530948900, 0.200092213184, 1.718581042715, 0.27}},
};

static const double kTime = 0.1;  // of a step; sound crosses a cell in about 0.6

static const Scheme* scheme_of(int stages) {
  for (size_t i = 0; i < sizeof kSchemes / sizeof *kSchemes; ++i)
    if (kSchemes[i].stages == stages) return &kSchemes[i];
  return NULL;
}

bool steps_known(int stages) { return scheme_of(stages) != NULL; }

static void advance(size_t size, double kept, double used, const double* rate, double* change, double* values) {
  for (size_t i = 0; i < size; ++i) {
    change[i] = kept * change[i] + kTime * rate[i];
    values[i] += used * change[i];
  }
}

static void stage(Halo* halo, Fields* f, double kept, double used) {
  flow_rates(halo, f);
  for (int v = 0; v < kVariables; ++v) advance(halo->grid->size, kept, used, f->rate[v], f->change[v], f->values[v]);
}

static void filter(Halo* halo, Fields* f) {
  for (int v = 0; v < kVariables; ++v)
    for (int axis = 0; axis < kAxes; ++axis) {
      sweep(halo, axis, smooth, f->values[v], f->slope);
      double* former = f->values[v];
      f->values[v] = f->slope;
      f->slope = former;
    }
}

void steps_take(Halo* halo, Fields* fields, int stages) {
  const Scheme* scheme = scheme_of(stages);
  for (int i = 0; i < stages; ++i) stage(halo, fields, scheme->kept[i], scheme->used[i]);
  filter(halo, fields);
}
