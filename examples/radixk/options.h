// What was asked for.
#pragma once
#include "output.h"

typedef struct {
  Scene scene;
  Radices radices;
  Output output;
  int frames;
  bool verify;
} Options;

typedef enum { kRun, kHelp, kBad } Asked;

// The same on all ranks. Rank 0 prints the help, or what is wrong.
Asked options_read(int count, char** words, int rank, int ranks, Options* options);
