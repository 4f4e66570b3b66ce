#include "scene.h"

#include <stdlib.h>

#include "fail.h"
#include "quiet.h"

typedef struct {
  uint32_t depth;  // in 2^32nds
  int sheet;       // decides between particles of one depth
  int x, y, radius;
  int eighths;    // of opacity, 1 to 8
  int colour[3];  // in 256ths
} Particle;

// Random numbers that depend on what they are for, and on no order.
QUIET static uint32_t dice(int sheet, int cell, uint32_t what) {
  uint32_t x = (uint32_t)sheet * 0x9e3779b1u ^ (uint32_t)cell * 0x85ebca77u ^ what * 0xc2b2ae3du;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Cells along an axis of so many pixels: a sheet is moved by less than one, and starts that much outside.
QUIET static int cells(int pixels) { return pixels / kCell + 2; }

// Where a sheet's first cell begins, along x (0) or y (1). Each sheet drifts its own way.
QUIET static int begin_of(int sheet, int frame, uint32_t axis) {
  const uint32_t first = dice(sheet, 0, 8 + axis), drift = dice(sheet, 0, 10 + axis) % 7;
  return (int)((first + drift * (uint32_t)frame) % kCell) - kCell;
}

// The particle of a cell. Its disc stays inside, so that no two of a sheet overlap.
QUIET static Particle particle_of(const Scene* scene, int frame, int sheet, int column, int row) {
  const int cell = row * cells(scene->width) + column;
  Particle p = {.sheet = sheet, .radius = kCell / 6 + (int)(dice(sheet, cell, 0) % (kCell / 3))};
  const uint32_t play = (uint32_t)(kCell - 2 * p.radius);
  p.x = begin_of(sheet, frame, 0) + column * kCell + p.radius + (int)(dice(sheet, cell, 1) % play);
  p.y = begin_of(sheet, frame, 1) + row * kCell + p.radius + (int)(dice(sheet, cell, 2) % play);
  p.eighths = 1 + (int)(dice(sheet, cell, 3) % 8);
  for (int i = 0; i < 3; ++i) p.colour[i] = 64 + (int)(dice(sheet, cell, 4 + (uint32_t)i) % 192);
  // From frame to frame all come nearer; what has passed the eye comes back far away.
  p.depth = dice(sheet, cell, 7) - (uint32_t)frame * 0x03000000u;
  return p;
}

QUIET static int nearer(const void* left, const void* right) {
  const Particle *a = left, *b = right;
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  return a->sheet - b->sheet;
}

// Those of the slab, nearest first. The caller frees them.
static Particle* particles_of(const Scene* scene, int frame, int part, int parts, int* count) {
  const int columns = cells(scene->width), rows = cells(scene->height);
  Particle* found = malloc(((size_t)columns * (size_t)rows * kSheets) * sizeof *found);
  if (!found) fail("no memory for particles");
  *count = 0;
  for (int sheet = 0; sheet < kSheets; ++sheet)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        const Particle p = particle_of(scene, frame, sheet, column, row);
        if ((uint64_t)p.depth * (uint64_t)parts >> 32 == (uint64_t)part) found[(*count)++] = p;
      }
  qsort(found, (size_t)*count, sizeof *found, nearer);
  return found;
}

QUIET static inline int larger(int a, int b) { return a > b ? a : b; }
QUIET static inline int smaller(int a, int b) { return a < b ? a : b; }

// A ball, lit from the eye, behind what is drawn already.
static void draw(const Scene* scene, const Particle* p, Pixel* image) {
  const int square = p->radius * p->radius;
  const int top = larger(p->y - p->radius + 1, 0), bottom = smaller(p->y + p->radius, scene->height);
  const int begin = larger(p->x - p->radius + 1, 0), end = smaller(p->x + p->radius, scene->width);
  for (int y = top; y < bottom; ++y)
    for (int x = begin; x < end; ++x) {
      const int left = square - (x - p->x) * (x - p->x) - (y - p->y) * (y - p->y);
      if (left <= 0) continue;
      const int light = 96 + 160 * left / square;  // in 256ths
      double shade[3];
      for (int i = 0; i < 3; ++i) shade[i] = p->eighths / 8. * (p->colour[i] * light / 256) / 256.;
      const Pixel behind = {shade[0], shade[1], shade[2], (8 - p->eighths) / 8.};
      image_under(&image[(size_t)y * (size_t)scene->width + (size_t)x], &behind, 1);
    }
}

int scene_render(const Scene* scene, int frame, int part, int parts, Pixel* image) {
  int count;
  Particle* particles = particles_of(scene, frame, part, parts, &count);
  image_clear(image, (size_t)scene->width * (size_t)scene->height);
  for (int i = 0; i < count; ++i) draw(scene, &particles[i], image);
  free(particles);
  return count;
}
