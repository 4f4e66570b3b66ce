#include "sweep.h"

#include "quiet.h"

enum { kRows = 2 * kHalo + 1 };

QUIET void difference(double* restrict out, const double* const rows[kRows], int points) {
  const double *a4 = rows[0], *a3 = rows[1], *a2 = rows[2], *a1 = rows[3];
  const double *b1 = rows[5], *b2 = rows[6], *b3 = rows[7], *b4 = rows[8];
  for (int i = 0; i < points; ++i)
    out[i] =
        4. / 5 * (b1[i] - a1[i]) - 1. / 5 * (b2[i] - a2[i]) + 4. / 105 * (b3[i] - a3[i]) - 1. / 280 * (b4[i] - a4[i]);
}

QUIET void smooth(double* restrict out, const double* const rows[kRows], int points) {
  const double *a4 = rows[0], *a3 = rows[1], *a2 = rows[2], *a1 = rows[3], *here = rows[4];
  const double *b1 = rows[5], *b2 = rows[6], *b3 = rows[7], *b4 = rows[8];
  for (int i = 0; i < points; ++i) {
    const double shortest =
        70 * here[i] - 56 * (a1[i] + b1[i]) + 28 * (a2[i] + b2[i]) - 8 * (a3[i] + b3[i]) + (a4[i] + b4[i]);
    out[i] = here[i] - shortest / 256;
  }
}

typedef struct {
  const Halo* halo;
  Stencil* stencil;
  const double* in;
  double* out;
  int axis, count;  // points along the axis
  size_t lines;     // of x, in the block: (j, k) is line k * ny + j
} Sweep;

// Along x: the points from `from` to `to` of a line that need neighbours' are put into one row with them.
QUIET static void edge_of_line(const Sweep* s, size_t line, int from, int to) {
  double row[4 * kHalo];
  const double* rows[kRows];
  const double *own = s->in + line * (size_t)s->count, *before = s->halo->before[0] + line * kHalo,
               *after = s->halo->after[0] + line * kHalo;
  for (int i = from - kHalo; i < to + kHalo; ++i)
    row[i - from + kHalo] = i < 0 ? before[i + kHalo] : i < s->count ? own[i] : after[i - s->count];
  for (int i = 0; i < kRows; ++i) rows[i] = row + i;
  s->stencil(s->out + line * (size_t)s->count + from, rows, to - from);
}

QUIET static void middle_of_line(const Sweep* s, size_t line, int from, int to) {
  const double* rows[kRows];
  for (int i = 0; i < kRows; ++i) rows[i] = s->in + line * (size_t)s->count + from + i - kHalo;
  s->stencil(s->out + line * (size_t)s->count + from, rows, to - from);
}

static void along_x(const Sweep* s, int from, int to) {
  const int inside = from >= kHalo && to <= s->count - kHalo;
  for (size_t line = 0; line < s->lines; ++line) (inside ? middle_of_line : edge_of_line)(s, line, from, to);
}

// Along y and z: whole lines of x are weighed. Line (i, other), i along the axis, may be a neighbour's.
QUIET static void whole_line(const Sweep* s, int i, int other) {
  const Grid* grid = s->halo->grid;
  const int axis = s->axis;
  const size_t nx = (size_t)grid->count[0], ny = (size_t)grid->count[1];
  const size_t step = axis == 1 ? nx : nx * ny;
  const size_t own = (size_t)other * (axis == 1 ? nx * ny : nx),
               neighbours = (size_t)other * (axis == 1 ? nx * kHalo : nx);
  const double* rows[kRows];
  for (int row = 0; row < kRows; ++row) {
    const int at = i + row - kHalo;
    rows[row] = at < 0          ? s->halo->before[axis] + neighbours + (size_t)(at + kHalo) * step
                : at < s->count ? s->in + own + (size_t)at * step
                                : s->halo->after[axis] + neighbours + (size_t)(at - s->count) * step;
  }
  s->stencil(s->out + own + (size_t)i * step, rows, (int)nx);
}

static void along_y(const Sweep* s, int from, int to) {
  for (int k = 0; k < s->halo->grid->count[2]; ++k)
    for (int j = from; j < to; ++j) whole_line(s, j, k);
}

static void along_z(const Sweep* s, int from, int to) {
  for (int k = from; k < to; ++k)
    for (int j = 0; j < s->halo->grid->count[1]; ++j) whole_line(s, k, j);
}

void sweep(Halo* halo, int axis, Stencil* stencil, const double* in, double* out) {
  static void (*const along[kAxes])(const Sweep*, int, int) = {along_x, along_y, along_z};
  const Grid* grid = halo->grid;
  const int count = grid->count[axis];
  const Sweep s = {.halo = halo,
                   .stencil = stencil,
                   .in = in,
                   .out = out,
                   .axis = axis,
                   .count = count,
                   .lines = (size_t)grid->count[1] * (size_t)grid->count[2]};
  const int end = count - kHalo > kHalo ? count - kHalo : kHalo;  // of what needs no neighbour
  halo_begin(halo, axis, in);
  if (end > kHalo) along[axis](&s, kHalo, end);
  halo_end(halo);
  along[axis](&s, 0, kHalo);
  if (count > end) along[axis](&s, end, count);
}
