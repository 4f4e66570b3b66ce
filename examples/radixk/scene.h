// What is seen: particles that come nearer, the same for any number of ranks.
//
// They are in kSheets sheets, in each of which no two overlap; a sheet's particles are at all depths.
#pragma once
#include "image.h"

enum {
  kSheets = 14,  // image.h says why not more
  kCell = 32,    // a sheet has a particle in every square of so many pixels
};

typedef struct {
  int width, height;  // pixels
} Scene;

// Draws the particles of one slab: those whose depth, from 0 at the eye to 1, is from part / parts up to (part + 1) /
// parts. `image` has width * height pixels. Returns how many particles there were.
int scene_render(const Scene* scene, int frame, int part, int parts, Pixel* image);
