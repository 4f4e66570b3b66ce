#include "programs/headrace/amounts.h"

#include <stdio.h>

#include <iterator>

namespace headrace::programs {

std::string amount(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  // From 1,000 on, or there would be four digits.
  for (; bytes >= 999.5 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  char text[32];
  snprintf(text, sizeof text, "%.3g %s", bytes, kUnits[unit]);
  return text;
}

}  // namespace headrace::programs
