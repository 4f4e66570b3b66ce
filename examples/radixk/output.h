// The image as a file: PPM, binary.
#pragma once
#include "composite.h"
#include "scene.h"

typedef enum { kGather, kShared } OutputKind;

typedef struct {
  OutputKind kind;  // rank 0 writes what it gathers, or each rank writes its piece, by MPI-IO
  const char* directory;
} Output;

// All ranks together, as the next: makes the directory.
void output_prepare(const Output* output);

// Writes an image of which this rank has `piece`, as bytes. Returns the bytes of the file.
size_t output_write(const Output* output, const Scene* scene, const Radices* radices, int frame, const uint8_t* piece);

// Rank 0 alone: the run ends unless the file has these pixels.
void output_verify(const Output* output, const Scene* scene, int frame, const uint8_t* pixels);
