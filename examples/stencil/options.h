// What was asked for.
#pragma once
#include "checkpoint.h"

typedef struct {
  int grid[kAxes];   // points of the whole; 0: as `block` says
  int block[kAxes];  // points of a rank
  int steps, stages;
  int monitor_every, checkpoint_every;  // steps; 0: never
  CheckpointKind kind;
  const char* directory;
  bool verify;
} Options;

typedef enum { kRun, kHelp, kBad } Asked;

// The same on all ranks. Rank 0 prints the help, or what is wrong.
Asked options_read(int count, char** words, int rank, Options* options);
