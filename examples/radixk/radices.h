// How many ranks exchange pieces with each other in each round. Their product is the number of ranks.
#pragma once
#include <stdbool.h>

enum { kMostRounds = 32 };

typedef struct {
  int rounds;
  int k[kMostRounds];
} Radices;

// "4,2,3". False: not numbers of 2 or more, or not the factors of `ranks`.
bool radices_parse(const char* text, int ranks, Radices* radices);

// Few rounds of groups of at most `most`, as far as the factors of `ranks` allow it: 61 ranks are one group.
void radices_factor(int ranks, int most, Radices* radices);
