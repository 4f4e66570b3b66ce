#include "radices.h"

#include <stdlib.h>

bool radices_parse(const char* text, int ranks, Radices* radices) {
  long product = 1;
  radices->rounds = 0;
  for (char* end = NULL;; text = end + 1) {
    const long k = strtol(text, &end, 10);
    if (end == text || k < 2 || k > ranks || radices->rounds == kMostRounds) return false;
    product *= k;
    if (product > ranks) return false;
    radices->k[radices->rounds++] = (int)k;
    if (*end == '\0') return product == ranks;
    if (*end != ',') return false;
  }
}

// The largest factor up to `most`, else the least there is.
static int factor_of(int number, int most) {
  for (int k = most; k >= 2; --k)
    if (number % k == 0) return k;
  for (int k = most + 1; k < number; ++k)
    if (number % k == 0) return k;
  return number;
}

void radices_factor(int ranks, int most, Radices* radices) {
  radices->rounds = 0;
  for (int left = ranks; left > 1; left /= radices->k[radices->rounds - 1])
    radices->k[radices->rounds++] = factor_of(left, most);
}
