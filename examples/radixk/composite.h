// Radix-k compositing (Peterka and others, A Configurable Algorithm for Parallel Image-Compositing Applications, 2009).
//
// Ranks are in the order of depth. In each round a group of k of them shares the part of the image that all of them
// have: each gets one k-th of it from the others, directly, and lays these over each other. The members of a group have
// what k neighbouring runs of ranks see, so that rank's run grows to theirs; after the last round it is all ranks, and
// each has its own piece of the whole image.
#pragma once
#include "image.h"
#include "radices.h"

// Pixels of an image, in the order of a file: row by row.
typedef struct {
  size_t first, count;
} Range;

// The piece that a rank has after the last round.
Range composite_piece(size_t pixels, const Radices* radices, int rank);

// All ranks together. `image` is what the rank itself sees; after this the composite in its piece, anything elsewhere.
// `received` has room for composite_room() pixels.
void composite(Pixel* image, size_t pixels, const Radices* radices, Pixel* received);
size_t composite_room(size_t pixels, const Radices* radices);
