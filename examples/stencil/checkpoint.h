// Checkpoints: the state at a step, in a file of each rank's or in one that all share.
//
// A file is a CheckpointHeader, then for each variable the points of its block, z slowest, x fastest, as doubles of
// this machine. The block of a shared file is the whole grid: it is the same, byte by byte, for any number of ranks.
#pragma once
#include <stdint.h>

#include "fields.h"

typedef struct {
  char kind[8];  // "stencil\n"
  int32_t version, step, variables;
  int32_t points[kAxes], first[kAxes], count[kAxes];
  char unused[8];
} CheckpointHeader;  // 64 bytes

typedef enum { kFiles, kShared } CheckpointKind;

typedef struct {
  CheckpointKind kind;
  const char* directory;
  bool verify;  // read every checkpoint back
  int checkpoints, files;
  uint64_t bytes;  // of the files of all ranks
} Checkpoints;

// All ranks together, as all that follows: makes the directory.
void checkpoint_prepare(const Grid* grid, const Checkpoints* all);

// Uses fields->slope for what is read back.
void checkpoint_write(const Grid* grid, const Fields* fields, int step, Checkpoints* all);

CheckpointHeader checkpoint_header(const Grid* grid, int step, const int first[kAxes], const int count[kAxes]);

// In checkpoint_files.c and checkpoint_shared.c. The readers end the run where something else is read than was written.
void files_write(const Grid* grid, const Fields* fields, int step, const char* directory);
void files_verify(const Grid* grid, const Fields* fields, int step, const char* directory);
void shared_write(const Grid* grid, const Fields* fields, int step, const char* directory);
void shared_verify(const Grid* grid, const Fields* fields, int step, const char* directory);
